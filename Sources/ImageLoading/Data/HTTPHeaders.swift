/// Header fields by name. Names count without regard to case.
public struct HTTPHeaders: Hashable, Sendable, ExpressibleByDictionaryLiteral {
    /// The fields in the order in which they were added, some names more than once.
    public private(set) var fields: [(name: String, value: String)] = []

    /// Without fields.
    public init() {}

    /// These fields, in this order.
    public init(dictionaryLiteral elements: (String, String)...) {
        for (name, value) in elements { add(name, value) }
    }

    /// The first value of the field called `name`. Setting it takes the place of all of that name.
    public subscript(name: String) -> String? {
        get { fields.first { Self.areEqual($0.name, name) }?.value }
        set {
            fields.removeAll { Self.areEqual($0.name, name) }
            if let newValue { add(name, newValue) }
        }
    }

    /// All values of the fields called `name`.
    public func values(_ name: String) -> [String] {
        fields.filter { Self.areEqual($0.name, name) }.map(\.value)
    }

    /// Adds one more field.
    public mutating func add(_ name: String, _ value: String) { fields.append((name, value)) }

    private static func areEqual(_ a: String, _ b: String) -> Bool {
        a.utf8.count == b.utf8.count && a.utf8.elementsEqual(b.utf8) { lower($0) == lower($1) }
    }

    private static func lower(_ byte: UInt8) -> UInt8 { (65...90).contains(byte) ? byte | 0x20 : byte }

    /// Whether both have the same fields in the same order.
    public static func == (a: HTTPHeaders, b: HTTPHeaders) -> Bool {
        a.fields.elementsEqual(b.fields) { areEqual($0.name, $1.name) && $0.value == $1.value }
    }

    /// Hashes the values, names being the same in several spellings.
    public func hash(into hasher: inout Hasher) {
        for field in fields { hasher.combine(field.value) }
    }
}
