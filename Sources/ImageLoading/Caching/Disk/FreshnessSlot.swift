internal import ImageFormats

/// One of the two places in an entry's file where its freshness is written in turn.
///
/// The one with the higher number counts. While one is being written the other stays as it is, so that whatever
/// interrupts the writing leaves one that is whole. Its checksum goes on from the header's: the slot of another file is
/// none here.
struct FreshnessSlot: Equatable {
    /// How many there were before it, and one: 0 is a slot that was never written.
    var sequence: UInt64
    var freshness: CacheFreshness

    static let byteCount = 32

    /// A slot of these.
    init(sequence: UInt64, freshness: CacheFreshness) {
        self.sequence = sequence
        self.freshness = freshness
    }

    /// The slot in `bytes`; nil where there is none, or a damaged one.
    /// - Parameter header: The checksum of the file's header.
    init?(_ bytes: ArraySlice<UInt8>, header: UInt32) {
        guard bytes.count == Self.byteCount else { return nil }
        var reader = LittleEndianReader(bytes)
        guard let sequence = reader.integer(UInt64.self), sequence > 0,
            let validatedAt = reader.integer(Int64.self), let lifetime = reader.integer(Int64.self),
            let checksum = reader.integer(UInt32.self), checksum == Checksum.of(bytes.prefix(24), after: header)
        else { return nil }
        self.init(
            sequence: sequence, freshness: CacheFreshness(validatedAt: validatedAt, lifetime: lifetime))
    }

    /// The slot as bytes.
    /// - Parameter header: The checksum of the file's header.
    func encoded(header: UInt32) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: sequence)
        bytes.append(littleEndian: freshness.validatedAt)
        bytes.append(littleEndian: freshness.lifetime)
        bytes.append(littleEndian: Checksum.of(bytes[...], after: header))
        return bytes + [0, 0, 0, 0]
    }
}
