internal import Essentials
internal import ImageFormats
internal import Platform
internal import Raster

/// An entry's file, open. It stays the same file whatever takes its name meanwhile.
struct DataCacheFile: ~Copyable {
    private let descriptor: FileDescriptor
    /// What tells it from the next file of its name, and how long it is.
    let status: DataCacheFileStatus

    /// How many bytes are read before it is known how long the header is.
    private static let headByteCount = 1024

    /// Opens the file at `path`; nil where there is none, or nothing that can be read.
    init?(path: String, name: DataCacheFileName, isWritable: Bool = false) {
        // A pipe of that name must not hold anybody up, and a link lead nowhere.
        let number = SystemCall.open(path, (isWritable ? O_RDWR : O_RDONLY) | O_NOFOLLOW | O_NONBLOCK)
        guard number >= 0 else { return nil }
        guard let status = FileStatus(number), status.isRegular else {
            close(number)
            return nil
        }
        descriptor = FileDescriptor(number, name: path, isOwned: true)
        self.status = DataCacheFileStatus(name: name, status)
    }

    /// The header, and the file's first bytes, to the description's end at least.
    func header() throws(DataCacheDamage) -> (header: DataCacheHeader, bytes: [UInt8]) {
        var head = try bytes(0..<min(Self.headByteCount, status.byteCount))
        let header = try DataCacheHeader(head, fileByteCount: status.byteCount)
        if header.payloadOffset > head.count { head += try bytes(head.count..<header.payloadOffset) }
        return (header, head)
    }

    private func bytes(_ range: Range<Int>) throws(DataCacheDamage) -> [UInt8] {
        let bytes = (try? descriptor.bytes(range.count, at: range.lowerBound)) ?? []
        guard bytes.count == range.count else { throw Self.tooShort(range.lowerBound + bytes.count) }
        return bytes
    }

    func payload(_ header: DataCacheHeader) throws(DataCacheDamage) -> Data {
        let count = header.payloadByteCount
        // Read to where they stay: Data would fill its own memory with zeros first.
        guard count > 0 else { return Data() }
        guard let memory = malloc(count) else {
            throw DataCacheDamage(offset: header.payloadOffset, message: "there is no memory for \(count) bytes")
        }
        let buffer = UnsafeMutableRawBufferPointer(start: memory, count: count)
        let read = (try? descriptor.read(into: buffer, at: header.payloadOffset)) ?? 0
        guard read == count, CRC32.of(UnsafeRawBufferPointer(buffer)) == header.payloadChecksum else {
            free(memory)
            throw read == count ? Self.wrongPayload(header) : Self.tooShort(header.payloadOffset + read)
        }
        return Data(bytesNoCopy: memory, count: count, deallocator: .free)
    }

    /// Checks the cached bytes, a piece at a time.
    func checkPayload(_ header: DataCacheHeader) throws(DataCacheDamage) {
        var (offset, checksum) = (header.payloadOffset, UInt32(0))
        while offset < status.byteCount {
            let piece = try bytes(offset..<min(offset + 1 << 18, status.byteCount))
            checksum = CRC32.of(piece, after: checksum)
            offset += piece.count
        }
        guard checksum == header.payloadChecksum else { throw Self.wrongPayload(header) }
    }

    /// Writes over what is at `offset`.
    func write(_ bytes: [UInt8], at offset: Int) throws(ImageError) {
        try bytes.span.bytes.withUnsafeBytes { (bytes) throws(ImageError) in
            try descriptor.write(bytes, at: offset)
        }
    }

    func setAccessTime(_ time: FileTime) { time.setAccessTime(of: descriptor.number) }

    private static func tooShort(_ offset: Int) -> DataCacheDamage {
        DataCacheDamage(offset: offset, message: "it can't be read any further")
    }

    private static func wrongPayload(_ header: DataCacheHeader) -> DataCacheDamage {
        DataCacheDamage(offset: header.payloadOffset, message: "the checksum of the cached bytes is wrong")
    }
}

/// What is wrong with an entry's file.
package struct DataCacheDamage: Error, Hashable, Sendable {
    /// At which of the file's bytes it was found.
    package let offset: Int
    /// What it is, for people.
    package let message: String
}

/// What an entry's file is called: a hash of its group, by which it also finds its folder, and one of its variant.
///
/// The name says where to look. What is found says for itself what it is.
struct DataCacheFileName: Hashable {
    let groupHigh: UInt64
    let groupLow: UInt64
    let variant: UInt64

    /// The name of `key`'s file.
    init(_ key: DataCacheKey) {
        let group = StableHash(key.group.utf8)
        let variant = StableHash(key.variant)
        groupHigh = group.high
        groupLow = group.low
        self.variant = variant.high ^ variant.low
    }

    /// The name that these bytes spell; nil where they are no name of an entry's file.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == 49, bytes[32] == UInt8(ascii: "-"), let high = Self.number(bytes[..<16]),
            let low = Self.number(bytes[16..<32]), let variant = Self.number(bytes[33...])
        else { return nil }
        groupHigh = high
        groupLow = low
        self.variant = variant
    }

    /// Which of the 256 folders it is in: of the hash the byte in which similar names differ most.
    var folder: UInt8 { UInt8(truncatingIfNeeded: groupLow) }

    var text: String { Self.digits(groupHigh) + Self.digits(groupLow) + "-" + Self.digits(variant) }

    static func folderName(_ folder: UInt8) -> String { (folder < 16 ? "0" : "") + String(folder, radix: 16) }

    static func isFolderName(_ bytes: [UInt8]) -> Bool { bytes.count == 2 && number(bytes[...]) != nil }

    /// A number in sixteen hexadecimal digits.
    static func digits(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
        var number: UInt64 = 0
        for digit in digits {
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): number = number << 4 | UInt64(digit - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"): number = number << 4 | UInt64(digit - UInt8(ascii: "a") + 10)
            default: return nil
            }
        }
        return number
    }
}

/// FNV-1a of 128 bits (Fowler, Noll and Vo, RFC 9923): the same in every run and on every machine.
///
/// It tells files apart, and guards against nobody: who compares what was hashed is never misled by a collision.
package struct StableHash: Hashable {
    package private(set) var high: UInt64 = 0x6C62_272E_07BB_0142
    package private(set) var low: UInt64 = 0x62B8_2175_6295_C58D

    /// The hash of `bytes`.
    package init(_ bytes: some Sequence<UInt8>) {
        for byte in bytes {
            // Times 2⁸⁸ + 0x13B, in two halves, since a whole of 128 bits isn't on every system yet.
            let product = (low ^ UInt64(byte)).multipliedFullWidth(by: 0x13B)
            high = high &* 0x13B &+ product.high &+ ((low ^ UInt64(byte)) << 24)
            low = product.low
        }
    }

    /// All of it in 32 hexadecimal digits.
    package var hexadecimal: String { DataCacheFileName.digits(high) + DataCacheFileName.digits(low) }

    /// Half of it, in thirteen letters and digits at most.
    package var half: String { String(high ^ low, radix: 36) }
}
