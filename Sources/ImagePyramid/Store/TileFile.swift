internal import ImageFormats
internal import Platform
internal import Raster

/// The file of a store's tiles: unnamed, so that it disappears with the process, and entirely mapped for reading.
///
/// Unchecked: the mapped bytes change only in `write`, and readers learn under a lock that they are valid.
final class TileFile: @unchecked Sendable {
    /// The file's size in bytes, written or not.
    let byteCount: Int
    /// The mapping's first byte, readable as long as self lives.
    let base: UnsafeRawPointer
    private let file: FileDescriptor

    /// Creates a sparse file of `byteCount` bytes, more than 0.
    /// - Throws: `inputOutput` if the file can't be created, the disk lacks space, or the size exceeds the process's
    ///   limit; `outOfMemory` if the address space is exhausted.
    init(byteCount: Int, in place: RawTileStore.Place) throws(ImageError) {
        let (number, name): (CInt, String)
        switch place {
        case .folder(let folder):
            let folder = folder ?? UnnamedFile.temporaryFolder
            name = "the file for tiles in \(folder)"
            number = try UnnamedFile.open(in: folder, called: name)
        case .memory:
            name = "the memory for tiles"
            do throws(SystemError) {
                number = try MemoryFile.open()
            } catch {
                throw Self.failure("made", name, error.code)
            }
        }
        let file = FileDescriptor(number, name: name, isOwned: true)
        if case .folder = place { try Self.checkRoom(for: byteCount, number, name) }
        try Self.checkLimit(for: byteCount, name)
        while ftruncate(number, off_t(byteCount)) != 0 {
            guard errno == EINTR else { throw Self.failure("made large enough", name) }
        }
        guard let mapping = mmap(nil, byteCount, PROT_READ, MAP_SHARED, number, 0),
            mapping != UnsafeMutableRawPointer(bitPattern: -1)
        else { throw ImageError(.outOfMemory, "\(byteCount) bytes of tiles can't be mapped: \(SystemError.last)") }
        base = UnsafeRawPointer(mapping)
        self.byteCount = byteCount
        self.file = file
    }

    deinit { munmap(UnsafeMutableRawPointer(mutating: base), byteCount) }

    /// Writes all of `bytes` at `offset`. Several threads may write different parts concurrently.
    /// - Throws: `inputOutput`, usually for a full disk.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(ImageError) {
        precondition(offset >= 0 && bytes.count <= byteCount - offset)
        try file.write(bytes, at: offset)
    }

    /// Reads `target.count` bytes at `offset`, bypassing the mapping, so that the pages don't count as the process's
    /// memory.
    /// - Throws: `inputOutput`.
    func read(into target: UnsafeMutableRawBufferPointer, at offset: Int) throws(ImageError) {
        precondition(offset >= 0 && target.count <= byteCount - offset)
        guard try file.read(into: target, at: offset) == target.count else {
            throw ImageError(.inputOutput, "\(file.name) can't be read: it has become shorter")
        }
    }

    /// Waits until the written bytes of `range` are on disk.
    /// - Throws: `inputOutput`.
    func writeBack(_ range: Range<Int>) throws(ImageError) { try file.writeBack(range) }
}

extension TileFile {
    /// Checks for free space in advance, to fail before decoding starts.
    private static func checkRoom(for byteCount: Int, _ number: CInt, _ name: String) throws(ImageError) {
        var status = statvfs()
        guard fstatvfs(number, &status) == 0 else { return }
        let (room, overflows) = UInt(status.f_bavail).multipliedReportingOverflow(by: UInt(status.f_frsize))
        guard !overflows, room < UInt(byteCount) else { return }
        throw ImageError(
            .inputOutput,
            "\(name) can't be made: it takes \(byteCount) bytes, and \(room) are free; choose another folder")
    }

    /// Checks the process's limit: the system ends a process that writes beyond it.
    private static func checkLimit(for byteCount: Int, _ name: String) throws(ImageError) {
        guard let limit = ResourceLimit.fileByteCount.current, limit < UInt64(byteCount) else { return }
        throw ImageError(
            .inputOutput,
            "\(name) can't be made: it takes \(byteCount) bytes, and the process may write \(limit); raise its limit (ulimit -f)"
        )
    }

    private static func failure(_ purpose: String, _ name: String, _ code: CInt = errno) -> ImageError {
        ImageError(.inputOutput, "\(name) can't be \(purpose): \(SystemError(code))")
    }
}
