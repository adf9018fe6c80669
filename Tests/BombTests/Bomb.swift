import Testing

/// A file that claims to be more than it is.
struct Bomb: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// The codes of the errors that are right for it; empty where it can be read, within the memory allowed.
    let codes: [String]
    /// How it is read.
    let ways: [String]
    /// What its name ends in.
    let filenameExtension: String
    /// Bytes of memory that it may take beside what the process had, at most.
    let byteLimit: Int
    let make: @Sendable () throws -> [UInt8]

    init(
        _ name: String, _ codes: [String], by ways: [String] = ["whole", "pieces", "rows"],
        filenameExtension: String = "bin", byteLimit: Int = 32 << 20, _ make: @escaping @Sendable () throws -> [UInt8]
    ) {
        testDescription = name
        self.codes = codes
        self.ways = ways
        self.filenameExtension = filenameExtension
        self.byteLimit = byteLimit
        self.make = make
    }

    static let limit = "limit exceeded"
    static let corrupt = "corrupt"
    static let truncated = "truncated"
    static let unsupported = "unsupported"
    static let unknown = "unknown format"
}
