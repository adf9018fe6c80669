#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
internal import ImageFormats

/// What stands before the cached bytes in an entry's file. All numbers have the least significant byte first.
///
/// | byte | what |
/// |---|---|
/// | 0 | `Tessera` and the layout's number, 1 |
/// | 8 | how many cached bytes there are: 64 bits |
/// | 16 | how long the description is: 32 bits |
/// | 20 | checksum of the description |
/// | 24 | checksum of the cached bytes |
/// | 28 | checksum of the bytes up to here |
/// | 32, 64 | two slots for the freshness |
/// | 96 | the description: key and metadata |
/// | behind it | the cached bytes, up to the file's end |
///
/// The description has group, variant, URL, media type, `ETag` and `Last-Modified`, each as a number of 32 bits and as
/// many bytes. What isn't known has all bits of the number set, and no bytes.
struct DataCacheHeader {
    /// How many bytes there are before the description.
    static let fixedByteCount = 96
    /// How long a description may be. Keys are URLs or names, not the data that some URLs hold.
    static let maximumDescriptionByteCount = 1 << 20
    /// Where the slots are.
    static let slotOffsets = [32, 64]

    private static let magic = Array("Tessera".utf8) + [1]
    private static let unknown = UInt32.max

    let payloadByteCount: Int
    let descriptionByteCount: Int
    let payloadChecksum: UInt32
    /// The checksum of the header itself.
    let checksum: UInt32
    private let descriptionChecksum: UInt32

    /// Where the cached bytes begin.
    var payloadOffset: Int { Self.fixedByteCount + descriptionByteCount }

    /// The header in a file's first bytes.
    /// - Parameter fileByteCount: How long the file is.
    init(_ bytes: [UInt8], fileByteCount: Int) throws(DataCacheDamage) {
        guard bytes.count >= Self.fixedByteCount else {
            throw DataCacheDamage(offset: bytes.count, message: "it ends within the header")
        }
        var reader = LittleEndianReader(bytes[8...])
        guard bytes.starts(with: Self.magic), let payload = reader.integer(UInt64.self),
            let description = reader.integer(UInt32.self), let descriptionChecksum = reader.integer(UInt32.self),
            let payloadChecksum = reader.integer(UInt32.self), let checksum = reader.integer(UInt32.self)
        else { throw DataCacheDamage(offset: 0, message: "it doesn't begin as an entry does") }
        guard checksum == Checksum.of(bytes[..<28]) else {
            throw DataCacheDamage(offset: 28, message: "the header's checksum is wrong")
        }
        guard description <= Self.maximumDescriptionByteCount else {
            throw DataCacheDamage(offset: 16, message: "a description of \(description) bytes is too long")
        }
        let before = Self.fixedByteCount + Int(description)
        guard fileByteCount >= before, UInt64(fileByteCount - before) == payload else {
            throw DataCacheDamage(
                offset: fileByteCount,
                message: "the file has \(fileByteCount) bytes, not the header's \(before) and \(payload)")
        }
        payloadByteCount = fileByteCount - before
        descriptionByteCount = Int(description)
        self.payloadChecksum = payloadChecksum
        self.descriptionChecksum = descriptionChecksum
        self.checksum = checksum
    }

    /// Key and metadata, as the description and the slots say.
    /// - Parameter bytes: The file's first bytes, to the description's end at least.
    func description(_ bytes: [UInt8]) throws(DataCacheDamage) -> (key: DataCacheKey, metadata: DataCacheMetadata) {
        guard bytes.count >= payloadOffset else {
            throw DataCacheDamage(offset: bytes.count, message: "it ends within the description")
        }
        let description = bytes[Self.fixedByteCount..<payloadOffset]
        guard Checksum.of(description) == descriptionChecksum else {
            throw DataCacheDamage(offset: 20, message: "the description's checksum is wrong")
        }
        var reader = LittleEndianReader(description)
        guard let group = reader.run(), let variant = reader.run(), let url = Self.text(&reader),
            let mimeType = Self.text(&reader), let entityTag = Self.text(&reader),
            let lastModified = Self.text(&reader), reader.rest.isEmpty
        else { throw DataCacheDamage(offset: Self.fixedByteCount, message: "the description makes no sense") }
        guard let slot = currentSlot(bytes)?.slot else {
            throw DataCacheDamage(offset: Self.slotOffsets[0], message: "both checksums of the freshness are wrong")
        }
        let key = DataCacheKey(group: String(decoding: group, as: UTF8.self), variant: Array(variant))
        let metadata = DataCacheMetadata(
            url: url, mimeType: mimeType, entityTag: entityTag, lastModified: lastModified, freshness: slot.freshness)
        return (key, metadata)
    }

    /// The slot that counts, and where it is; nil where both are damaged.
    func currentSlot(_ bytes: [UInt8]) -> (slot: FreshnessSlot, offset: Int)? {
        let slots = Self.slotOffsets.compactMap { offset in
            FreshnessSlot(bytes[offset..<offset + FreshnessSlot.byteCount], header: checksum).map { ($0, offset) }
        }
        return slots.max { $0.0.sequence < $1.0.sequence }
    }

    /// What takes the place of the slot that doesn't count, so that `freshness` does; nil where both are damaged.
    func nextSlot(_ freshness: CacheFreshness, _ bytes: [UInt8]) -> (bytes: [UInt8], offset: Int)? {
        guard let current = currentSlot(bytes) else { return nil }
        // The highest number of all has none that comes next, and is no number of ours.
        let next = FreshnessSlot(sequence: current.slot.sequence &+ 1, freshness: freshness)
        return (
            next.encoded(header: checksum),
            current.offset == Self.slotOffsets[0] ? Self.slotOffsets[1] : Self.slotOffsets[0]
        )
    }
}

extension DataCacheHeader {
    /// All that stands before the bytes of `entry` in its file; nil where key and metadata are too long.
    static func encode(_ entry: DataCacheEntry, key: DataCacheKey) -> [UInt8]? {
        let metadata = entry.metadata
        let texts = [metadata.url, metadata.mimeType, metadata.entityTag, metadata.lastModified]
        let lengths = [key.group.utf8.count, key.variant.count] + texts.map { $0?.utf8.count ?? 0 }
        guard lengths.reduce(0, +) + 4 * lengths.count <= maximumDescriptionByteCount else { return nil }

        var description: [UInt8] = []
        append(Array(key.group.utf8), to: &description)
        append(key.variant, to: &description)
        for text in texts {
            if let text {
                append(Array(text.utf8), to: &description)
            } else {
                description.append(littleEndian: unknown)
            }
        }

        var bytes = magic
        bytes.append(littleEndian: UInt64(entry.data.count))
        bytes.append(littleEndian: UInt32(description.count))
        bytes.append(littleEndian: Checksum.of(description[...]))
        // The pointer is used within the call only.
        bytes.append(littleEndian: entry.data.withUnsafeBytes { Checksum.of($0) })
        let checksum = Checksum.of(bytes[...])
        bytes.append(littleEndian: checksum)
        bytes += FreshnessSlot(sequence: 1, freshness: metadata.freshness).encoded(header: checksum)
        bytes += [UInt8](repeating: 0, count: FreshnessSlot.byteCount)
        return bytes + description
    }

    private static func append(_ run: [UInt8], to bytes: inout [UInt8]) {
        bytes.append(littleEndian: UInt32(run.count))
        bytes += run
    }

    /// A text, which may be unknown; nil where there are too few bytes.
    private static func text(_ reader: inout LittleEndianReader) -> String?? {
        var peek = reader
        if peek.integer(UInt32.self) == unknown {
            reader = peek
            return .some(nil)
        }
        return reader.run().map { String(decoding: $0, as: UTF8.self) }
    }
}
