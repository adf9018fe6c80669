import Foundation
import Platform
import TestSupport
import Testing

@Suite("Extended attributes of files")
struct FileAttributeTests {
    private let attribute = FileAttribute("user.tessera.test")
    private let folder: TemporaryFolder
    /// Whether the folder's file system has extended attributes.
    private let isSupported: Bool

    init() throws {
        folder = try TemporaryFolder()
        try folder.write([1], to: "file")
        isSupported = (try? Self.set([0], attribute, folder.file("file"))) != nil
        try folder.write([1], to: "plain")
    }

    private static func set(_ value: [UInt8], _ attribute: FileAttribute, _ path: String) throws {
        let number = SystemCall.open(path, O_RDWR)
        defer { close(number) }
        try attribute.set(value, on: number)
    }

    @Test("A value is read back, also under the file's next name", arguments: [[], [0], [UInt8](0...127)])
    func values(_ value: [UInt8]) throws {
        guard isSupported else { return }
        try Self.set(value, attribute, folder.file("file"))
        #expect(try attribute.value(at: folder.file("file"), maximumByteCount: 128) == value)
        try #require(SystemCall.rename(folder.file("file"), to: folder.file("other")) == 0)
        #expect(try attribute.value(at: folder.file("other"), maximumByteCount: 128) == value)
    }

    @Test("A file without the attribute has no value; a longer value and a missing file are errors")
    func absence() throws {
        guard isSupported else { return }
        #expect(try attribute.value(at: folder.file("plain"), maximumByteCount: 128) == nil)
        try Self.set([UInt8](repeating: 7, count: 129), attribute, folder.file("file"))
        #expect(throws: SystemError(ERANGE)) {
            try attribute.value(at: folder.file("file"), maximumByteCount: 128)
        }
        #expect(throws: SystemError(ENOENT)) {
            try attribute.value(at: folder.file("none"), maximumByteCount: 128)
        }
        #expect(throws: SystemError(EBADF)) { try attribute.set([1], on: -1) }
    }

    @Test("Where the system has no attributes, the error says so")
    func lacking() throws {
        guard !isSupported else { return }
        let error = #expect(throws: SystemError.self) { try Self.set([1], attribute, folder.file("file")) }
        #expect(error?.isLacking == true)
    }
}
