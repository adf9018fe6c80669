internal import Essentials
internal import ImageFormats

/// The header of an entry's file. All numbers are little-endian.
///
/// | byte | content |
/// |---|---|
/// | 0 | `Tessera` and the layout's version, 1 |
/// | 8 | length of the cached bytes, 64 bits |
/// | 16 | length of the description, 32 bits |
/// | 20 | checksum of the description |
/// | 24 | checksum of the cached bytes |
/// | 28 | checksum of bytes 0 to 27 |
/// | 32, 64 | two slots for the freshness |
/// | 96 | the description: key and metadata |
/// | after it | the cached bytes, up to the file's end |
///
/// The description has group, variant, URL, media type, `ETag` and `Last-Modified`, each as a 32-bit length followed by
/// that many bytes. An unknown value has length 0xFFFFFFFF and no bytes.
struct DataCacheHeader {
    /// The offset of the description.
    static let fixedByteCount = 96
    /// The maximum length of a description. Enough for names and URLs, except for long data URLs.
    static let maximumDescriptionByteCount = 1 << 20
    static let slotOffsets = [32, 64]

    private static let magic = Array("Tessera".utf8) + [1]
    private static let unknown = UInt32.max

    let payloadByteCount: Int
    let descriptionByteCount: Int
    let payloadChecksum: UInt32
    let checksum: UInt32
    private let descriptionChecksum: UInt32

    var payloadOffset: Int { Self.fixedByteCount + descriptionByteCount }

    /// Reads the header from a file's first bytes.
    /// - Parameter fileByteCount: The length of the file.
    init(_ bytes: [UInt8], fileByteCount: Int) throws(DataCacheDamage) {
        guard bytes.count >= Self.fixedByteCount else {
            throw DataCacheDamage(offset: bytes.count, message: "it ends within the header")
        }
        guard bytes.starts(with: Self.magic), let payload = bytes.field(UInt64.self, at: 8),
            let description = bytes.field(UInt32.self, at: 16),
            let descriptionChecksum = bytes.field(UInt32.self, at: 20),
            let payloadChecksum = bytes.field(UInt32.self, at: 24), let checksum = bytes.field(UInt32.self, at: 28)
        else { throw DataCacheDamage(offset: 0, message: "it doesn't begin as an entry does") }
        guard checksum == CRC32.of(bytes[..<28]) else {
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

    /// Reads key and metadata from the description and the current slot.
    /// - Parameter bytes: The file's first bytes, at least to the end of the description.
    func description(_ bytes: [UInt8]) throws(DataCacheDamage) -> (key: DataCacheKey, metadata: DataCacheMetadata) {
        guard bytes.count >= payloadOffset else {
            throw DataCacheDamage(offset: bytes.count, message: "it ends within the description")
        }
        let description = Array(bytes[Self.fixedByteCount..<payloadOffset])
        guard CRC32.of(description) == descriptionChecksum else {
            throw DataCacheDamage(offset: 20, message: "the description's checksum is wrong")
        }
        var offset = 0
        guard let group = Self.run(description, &offset), let variant = Self.run(description, &offset),
            let url = Self.text(description, &offset), let mimeType = Self.text(description, &offset),
            let entityTag = Self.text(description, &offset), let lastModified = Self.text(description, &offset),
            offset == description.count
        else { throw DataCacheDamage(offset: Self.fixedByteCount, message: "the description makes no sense") }
        guard let slot = currentSlot(bytes)?.slot else {
            throw DataCacheDamage(offset: Self.slotOffsets[0], message: "both checksums of the freshness are wrong")
        }
        let key = DataCacheKey(group: String(decoding: group, as: UTF8.self), variant: Array(variant))
        let metadata = DataCacheMetadata(
            url: url, mimeType: mimeType, entityTag: entityTag, lastModified: lastModified, freshness: slot.freshness)
        return (key, metadata)
    }

    /// The slot with the highest sequence number, and its offset; nil if both are damaged.
    func currentSlot(_ bytes: [UInt8]) -> (slot: FreshnessSlot, offset: Int)? {
        let slots = Self.slotOffsets.compactMap { offset in
            FreshnessSlot(bytes, at: offset, header: checksum).map { ($0, offset) }
        }
        return slots.max { $0.0.sequence < $1.0.sequence }
    }

    /// The bytes that replace the older slot to record `freshness`, and its offset; nil if both slots are damaged.
    func nextSlot(_ freshness: CacheFreshness, _ bytes: [UInt8]) -> (bytes: [UInt8], offset: Int)? {
        guard let current = currentSlot(bytes) else { return nil }
        // After the highest number comes 0, which marks an invalid slot; no cache writes that many.
        let next = FreshnessSlot(sequence: current.slot.sequence &+ 1, freshness: freshness)
        return (
            next.encoded(header: checksum),
            current.offset == Self.slotOffsets[0] ? Self.slotOffsets[1] : Self.slotOffsets[0]
        )
    }
}

extension DataCacheHeader {
    /// The header and description of `entry`; nil if key and metadata are too long.
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
        bytes.append(littleEndian: CRC32.of(description))
        // The pointer isn't used after the closure returns.
        bytes.append(littleEndian: entry.data.withUnsafeBytes { CRC32.of($0) })
        let checksum = CRC32.of(bytes)
        bytes.append(littleEndian: checksum)
        bytes += FreshnessSlot(sequence: 1, freshness: metadata.freshness).encoded(header: checksum)
        bytes += [UInt8](repeating: 0, count: FreshnessSlot.byteCount)
        return bytes + description
    }

    private static func append(_ run: [UInt8], to bytes: inout [UInt8]) {
        bytes.append(littleEndian: UInt32(run.count))
        bytes += run
    }

    /// Reads a length at `offset` and that many bytes, and moves `offset` past them; nil if too few bytes are left.
    private static func run(_ bytes: [UInt8], _ offset: inout Int) -> ArraySlice<UInt8>? {
        guard let count = bytes.field(UInt32.self, at: offset), Int(count) <= bytes.count - offset - 4 else {
            return nil
        }
        defer { offset += 4 + Int(count) }
        return bytes[(offset + 4)..<(offset + 4 + Int(count))]
    }

    /// Reads an optional text; nil if too few bytes are left.
    private static func text(_ bytes: [UInt8], _ offset: inout Int) -> String?? {
        if bytes.field(UInt32.self, at: offset) == unknown {
            offset += 4
            return .some(nil)
        }
        return run(bytes, &offset).map { String(decoding: $0, as: UTF8.self) }
    }
}

/// One of the two slots in an entry's file that hold its freshness, written alternately.
///
/// The slot with the higher sequence number counts. While one is being written the other stays intact, so an
/// interrupted write leaves a valid slot. The checksum continues the header's, so that another file's slot is invalid
/// here.
struct FreshnessSlot: Equatable {
    /// The number of this update, from 1; 0 marks a slot that was never written.
    var sequence: UInt64
    var freshness: CacheFreshness

    static let byteCount = 32
}

extension FreshnessSlot {
    /// Reads the slot at `offset` of a file's first bytes; nil if it is unused or damaged.
    /// - Parameter header: The checksum of the file's header.
    init?(_ bytes: [UInt8], at offset: Int, header: UInt32) {
        guard let sequence = bytes.field(UInt64.self, at: offset), sequence > 0,
            let validatedAt = bytes.field(Int64.self, at: offset + 8),
            let lifetime = bytes.field(Int64.self, at: offset + 16),
            bytes.field(UInt32.self, at: offset + 24) == CRC32.of(bytes[offset..<offset + 24], after: header)
        else { return nil }
        self.init(
            sequence: sequence, freshness: CacheFreshness(validatedAt: validatedAt, lifetime: lifetime))
    }

    /// Encodes the slot.
    /// - Parameter header: The checksum of the file's header.
    func encoded(header: UInt32) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: sequence)
        bytes.append(littleEndian: freshness.validatedAt)
        bytes.append(littleEndian: freshness.lifetime)
        bytes.append(littleEndian: CRC32.of(bytes, after: header))
        return bytes + [0, 0, 0, 0]
    }
}
