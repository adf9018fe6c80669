package import Raster

/// Distinguishes an effect from others by its name and its parameters, each with its type.
///
/// Equal identities give equal results for equal images. `bytes` are the same in every run and on every machine, so a
/// cache on disk can use a hash of them as key.
public struct EffectIdentity: Hashable, Sendable {
    /// One parameter.
    public enum Parameter: Hashable, Sendable {
        /// An integer.
        case integer(Int)
        /// A floating point number.
        case number(Double)
        /// A Boolean.
        case flag(Bool)
        /// A string.
        case text(String)
        /// Another effect, or a group of parameters.
        case identity(EffectIdentity)
    }

    /// The effect's name: for Tessera's effects as in recipes, for others in the form `com.example.vignette`.
    public var name: String
    /// The parameters, in an order that the effect defines.
    public var parameters: [Parameter]

    /// An effect with a name and parameters.
    public init(_ name: String, _ parameters: Parameter...) {
        self.name = name
        self.parameters = parameters
    }

    /// An effect composed of others.
    public init(_ name: String, _ identities: [EffectIdentity]) {
        self.name = name
        parameters = identities.map { .identity($0) }
    }

    /// The identity as bytes. Different identities always have different bytes: every part has its type and its length.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = []
        write(to: &bytes)
        return bytes
    }

    /// Compares text by code points, so that names that are canonically equivalent, as file names may be, stay
    /// different.
    public static func == (a: EffectIdentity, b: EffectIdentity) -> Bool { a.bytes == b.bytes }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) { hasher.combine(bytes) }

    /// Appends `bytes`, which are self-delimiting.
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
                // -0 and 0 are equal and must have the same bytes.
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
    /// A colour in hexadecimal form.
    package static func color(_ color: RGBA8) -> Self { .text(color.hex) }
}
