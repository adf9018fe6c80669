package import Raster

/// What tells one effect from another: its name and its parameters, each kept as what it is.
///
/// Equal identities make equal results of equal pictures. `bytes` are the same in every run and on every machine, so a
/// cache on disk can be keyed by a hash of them.
public struct EffectIdentity: Hashable, Sendable {
    /// One parameter.
    public enum Parameter: Hashable, Sendable {
        /// A whole number.
        case integer(Int)
        /// A number.
        case number(Double)
        /// A yes or no.
        case flag(Bool)
        /// A word.
        case text(String)
        /// Another effect, or a group of parameters.
        case identity(EffectIdentity)
    }

    /// The effect's name: Tessera's as in recipes, others' in the form `com.example.vignette`.
    public var name: String
    /// Its parameters, in an order of its own.
    public var parameters: [Parameter]

    /// An effect called `name` with `parameters`.
    public init(_ name: String, _ parameters: Parameter...) {
        self.name = name
        self.parameters = parameters
    }

    /// An effect called `name` that is made of others.
    public init(_ name: String, _ identities: [EffectIdentity]) {
        self.name = name
        parameters = identities.map { .identity($0) }
    }

    /// The identity as bytes, such that different identities always have different bytes: every part says its kind
    /// and its length.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        write(to: &bytes)
        return bytes
    }

    /// Text counts by its code points: of two names that only look alike, as file names may, each has its own.
    public static func == (a: EffectIdentity, b: EffectIdentity) -> Bool { a.bytes == b.bytes }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) { hasher.combine(bytes) }

    /// Appends `bytes` to others. They say where they end.
    package func write(to bytes: inout [UInt8]) {
        Self.write(name, to: &bytes)
        Self.write(UInt64(parameters.count), to: &bytes)
        for parameter in parameters {
            switch parameter {
            case .integer(let value):
                bytes.append(0)
                Self.write(UInt64(bitPattern: Int64(value)), to: &bytes)
            case .number(let value):
                bytes.append(1)
                // -0 and 0 are equal and have to have the same bytes.
                Self.write(value == 0 ? 0 : value.bitPattern, to: &bytes)
            case .flag(let value):
                bytes.append(value ? 3 : 2)
            case .text(let value):
                bytes.append(4)
                Self.write(value, to: &bytes)
            case .identity(let value):
                bytes.append(5)
                value.write(to: &bytes)
            }
        }
    }

    private static func write(_ text: String, to bytes: inout [UInt8]) {
        write(UInt64(text.utf8.count), to: &bytes)
        bytes.append(contentsOf: text.utf8)
    }

    private static func write(_ value: UInt64, to bytes: inout [UInt8]) {
        for shift in stride(from: 0, to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(shift))) }
    }
}

extension EffectIdentity.Parameter {
    /// A colour.
    package static func color(_ color: RGBA8) -> Self { .text(color.hex) }
}
