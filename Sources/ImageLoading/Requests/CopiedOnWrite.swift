/// Fields behind one reference: to copy them takes no more than to copy an object, however many there are. Who changes one
/// gets fields of their own.
@dynamicMemberLookup
struct CopiedOnWrite<Fields: Sendable>: Sendable {
    /// Never changed, so that threads can share it.
    private final class Box: Sendable {
        let fields: Fields

        init(_ fields: Fields) { self.fields = fields }
    }

    private var box: Box

    init(_ fields: Fields) { box = Box(fields) }

    subscript<Value>(dynamicMember path: WritableKeyPath<Fields, Value>) -> Value {
        @inline(__always) get { box.fields[keyPath: path] }
        @inline(__always) set {
            var fields = box.fields
            fields[keyPath: path] = newValue
            box = Box(fields)
        }
    }
}
