internal import Essentials
internal import ImageFormats
internal import Platform
internal import Raster

/// An entry's open file. It stays the same file if another one takes its name.
struct DataCacheFile: ~Copyable {
    private let descriptor: FileDescriptor
    /// Identifies the file among later ones of its name, and gives its length.
    let status: DataCacheFileStatus

    /// The number of bytes to read before the header's length is known.
    private static let headByteCount = 1024

    /// Opens the file at `path`; nil if there is none, or it isn't a readable regular file.
    init?(path: String, name: DataCacheFileName, isWritable: Bool = false) {
        // Doesn't block on a pipe, and doesn't follow a link.
        let number = SystemCall.open(path, (isWritable ? O_RDWR : O_RDONLY) | O_NOFOLLOW | O_NONBLOCK)
        guard number >= 0 else { return nil }
        guard let status = FileStatus(number), status.isRegular else {
            close(number)
            return nil
        }
        descriptor = FileDescriptor(number, name: path, isOwned: true)
        self.status = DataCacheFileStatus(name: name, status)
    }

    /// The header, and the file's first bytes, at least to the end of the description.
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
        // Read into memory that Data takes over: Data would fill its own with zeros first.
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

    /// Checks the checksum of the cached bytes, 256 KiB at a time.
    func checkPayload(_ header: DataCacheHeader) throws(DataCacheDamage) {
        var (offset, checksum) = (header.payloadOffset, UInt32(0))
        while offset < status.byteCount {
            let piece = try bytes(offset..<min(offset + 1 << 18, status.byteCount))
            checksum = CRC32.of(piece, after: checksum)
            offset += piece.count
        }
        guard checksum == header.payloadChecksum else { throw Self.wrongPayload(header) }
    }

    /// Overwrites the bytes at `offset`.
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

/// A defect in an entry's file.
package struct DataCacheDamage: Error, Hashable, Sendable {
    /// The offset in the file at which the defect was found.
    package let offset: Int
    /// A description for people.
    package let message: String
}

/// The name of an entry's file: a hash of its group, which also selects the folder, and a hash of its variant.
///
/// The name only locates the file; the key in its header identifies the entry.
struct DataCacheFileName: Hashable {
    let groupHigh: UInt64
    let groupLow: UInt64
    let variant: UInt64

    init(_ key: DataCacheKey) {
        let group = StableHash(key.group.utf8)
        let variant = StableHash(key.variant)
        groupHigh = group.high
        groupLow = group.low
        self.variant = variant.high ^ variant.low
    }

    /// The name with this text; nil if it isn't the name of an entry's file.
    init?(_ bytes: [UInt8]) {
        guard bytes.count == 49, bytes[32] == UInt8(ascii: "-"), let high = Self.number(bytes[..<16]),
            let low = Self.number(bytes[16..<32]), let variant = Self.number(bytes[33...])
        else { return nil }
        groupHigh = high
        groupLow = low
        self.variant = variant
    }

    /// Which of the 256 folders contains the file: the byte of the hash in which similar names differ most.
    var folder: UInt8 { UInt8(truncatingIfNeeded: groupLow) }

    var text: String { Self.digits(groupHigh) + Self.digits(groupLow) + "-" + Self.digits(variant) }

    static func folderName(_ folder: UInt8) -> String { (folder < 16 ? "0" : "") + String(folder, radix: 16) }

    static func isFolderName(_ bytes: [UInt8]) -> Bool { bytes.count == 2 && number(bytes[...]) != nil }

    /// A number as sixteen hexadecimal digits.
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

/// FNV-1a with 128 bits (Fowler, Noll and Vo, RFC 9923): the same in every run and on every machine.
///
/// It isn't a cryptographic hash: callers that need certainty compare the hashed values, too.
package struct StableHash: Hashable {
    package private(set) var high: UInt64 = 0x6C62_272E_07BB_0142
    package private(set) var low: UInt64 = 0x62B8_2175_6295_C58D

    package init(_ bytes: some Sequence<UInt8>) {
        // Other modules call this unspecialised: a view's bytes one after the other took 15 ms of a server's start.
        let isDone: Void? = bytes.withContiguousStorageIfAvailable { for byte in $0 { add(byte) } }
        if isDone == nil { for byte in bytes { add(byte) } }
    }

    private mutating func add(_ byte: UInt8) {
        // Times 2⁸⁸ + 0x13B, in two halves, as 128-bit integers aren't available on every system yet.
        let product = (low ^ UInt64(byte)).multipliedFullWidth(by: 0x13B)
        high = high &* 0x13B &+ product.high &+ ((low ^ UInt64(byte)) << 24)
        low = product.low
    }

    /// The hash in 32 hexadecimal digits.
    package var hexadecimal: String { DataCacheFileName.digits(high) + DataCacheFileName.digits(low) }

    /// Both halves combined to 64 bits, in at most thirteen letters and digits.
    package var half: String { String(high ^ low, radix: 36) }
}
