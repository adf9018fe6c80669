public import Raster

/// The binary form of ISO 21496-1, annex C.2: big-endian fractions after versions and flags.
extension GainMapMetadata {
    private static let isMultichannel = 0x80
    private static let usesBaseSpace = 0x40
    /// All fractions have the denominator that precedes them: written by libultrahdr, not by ISO's final text.
    private static let hasCommonDenominator = 0x08

    /// Reads the binary form of ISO 21496-1.
    /// - Throws: `unsupported` if the block requires a later version of the standard; `truncated`; `corrupt` for a
    ///   denominator of 0, and for values that `GainMapMetadata` excludes: a gamma of 0, a minimum above the maximum, a
    ///   negative headroom, numbers above 32. Offsets count from the block's first byte.
    public init(iso21496 block: [UInt8]) throws(ImageError) {
        var reader = FractionReader(block)
        let version = try reader.integer(2)
        guard version == 0 else {
            throw ImageError(
                .unsupported, "the gain map requires version \(version) of ISO 21496-1's metadata, expected 0",
                byteOffset: 0)
        }
        _ = try reader.integer(2)
        let flags = try reader.integer(1)
        if flags & Self.hasCommonDenominator != 0 { reader.denominator = try reader.nonZero(4) }
        let base = try reader.fraction(isSigned: false)
        let alternate = try reader.fraction(isSigned: false)
        var channels: [Channel] = []
        for _ in 0..<(flags & Self.isMultichannel != 0 ? 3 : 1) {
            let minimum = try reader.fraction(isSigned: true)
            let maximum = try reader.fraction(isSigned: true)
            let gamma = try reader.fraction(isSigned: false)
            let baseOffset = try reader.fraction(isSigned: true)
            channels.append(
                Channel(
                    minimum: minimum, maximum: maximum, gamma: gamma, baseOffset: baseOffset,
                    alternateOffset: try reader.fraction(isSigned: true)))
        }
        self.init(
            red: channels[0], green: channels[channels.count / 2], blue: channels[channels.count - 1],
            baseHeadroom: base, alternateHeadroom: alternate, usesBaseColorSpace: flags & Self.usesBaseSpace != 0)
        try validate()
    }

    /// The binary form of ISO 21496-1, with one set of parameters if all channels have the same.
    ///
    /// Each number becomes the fraction of 32 bits closest to it, so a block that was read gives the same numbers again.
    public var iso21496: [UInt8] {
        var block: [UInt8] = [0, 0, 0, 0]
        block.append(UInt8((isUniform ? 0 : Self.isMultichannel) | (usesBaseColorSpace ? Self.usesBaseSpace : 0)))
        func add(_ value: Double, isSigned: Bool) {
            let (numerator, denominator) = Self.fraction(value, limit: isSigned ? Int(Int32.max) : Int(UInt32.max))
            block += numerator.bigEndianBytes(4) + denominator.bigEndianBytes(4)
        }
        add(baseHeadroom, isSigned: false)
        add(alternateHeadroom, isSigned: false)
        for channel in isUniform ? [red] : channels {
            add(channel.minimum, isSigned: true)
            add(channel.maximum, isSigned: true)
            add(channel.gamma, isSigned: false)
            add(channel.baseOffset, isSigned: true)
            add(channel.alternateOffset, isSigned: true)
        }
        return block
    }

    /// The first convergent of a continued fraction that equals `value`, or else the last whose numerator is within
    /// `limit` and whose denominator fits in 32 bits.
    private static func fraction(_ value: Double, limit: Int) -> (numerator: Int, denominator: Int) {
        let magnitude = min(value.magnitude, Double(limit))
        var (last, current) = ((numerator: 1, denominator: 0), (numerator: Int(magnitude), denominator: 1))
        var rest = magnitude - magnitude.rounded(.down)
        while Double(current.numerator) / Double(current.denominator) != magnitude, rest > 0 {
            let inverse = 1 / rest
            guard inverse <= Double(UInt32.max) else { break }
            let step = Int(inverse)
            // Products of two numbers below 2^32 and a sum don't overflow 64 bits with sign: steps that would are large
            // only where the fraction already is, so the check is exact.
            let (up, upOverflows) = step.multipliedReportingOverflow(by: current.numerator)
            let (down, downOverflows) = step.multipliedReportingOverflow(by: current.denominator)
            guard !upOverflows, !downOverflows, up <= limit - last.numerator,
                down <= Int(UInt32.max) - last.denominator
            else { break }
            let next = (numerator: up + last.numerator, denominator: down + last.denominator)
            (last, current) = (current, next)
            rest = inverse - inverse.rounded(.down)
        }
        return (value < 0 ? -current.numerator : current.numerator, current.denominator)
    }
}

/// Reads big-endian fractions one after the other.
private struct FractionReader {
    private let bytes: [UInt8]
    private var position = 0
    /// The denominator of all fractions; nil if each has its own.
    var denominator: Int?

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func integer(_ byteCount: Int) throws(ImageError) -> Int {
        guard let value = bytes.bigEndian(at: position, byteCount: byteCount) else {
            throw ImageError(
                .truncated, "the gain map's metadata is truncated: it has \(bytes.count) bytes", byteOffset: bytes.count
            )
        }
        position += byteCount
        return value
    }

    mutating func nonZero(_ byteCount: Int) throws(ImageError) -> Int {
        let value = try integer(byteCount)
        guard value != 0 else {
            throw ImageError(
                .corrupt, "invalid gain map: a denominator is 0", byteOffset: position - byteCount)
        }
        return value
    }

    mutating func fraction(isSigned: Bool) throws(ImageError) -> Double {
        let stored = try integer(4)
        let numerator = isSigned ? Int(Int32(truncatingIfNeeded: stored)) : stored
        let divisor = if let denominator { denominator } else { try nonZero(4) }
        return Double(numerator) / Double(divisor)
    }
}
