internal import ImageFormats
internal import Platform
internal import Raster

/// The file that holds a store's tiles: without a name, so that nothing of it outlives the process, and mapped as a whole
/// for reading.
///
/// Unchecked: what lies in the mapping changes only by `write`, and who reads has been told, under a lock, that it is there.
final class TileFile: @unchecked Sendable {
    /// How large it is, written or not.
    let byteCount: Int
    /// The mapping's first byte; readable for as long as self lives.
    let base: UnsafeRawPointer
    private let file: FileDescriptor

    /// A file of `byteCount` bytes, more than 0, none of which takes room before it is written.
    /// - Throws: `inputOutput` where no file can be made, where there isn't as much room, or where the process may write no
    ///   file of the size; `outOfMemory` where there is no such range of addresses.
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

    /// Writes all of `bytes` at `offset`. By several threads at once, each elsewhere.
    /// - Throws: `inputOutput`: a full disk, most of the time.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(ImageError) {
        precondition(offset >= 0 && bytes.count <= byteCount - offset)
        try file.write(bytes, at: offset)
    }

    /// Reads as many bytes as `target` has at `offset`, beside the mapping: what is read so isn't counted as memory of the
    /// process's for as long as the system has room.
    /// - Throws: `inputOutput`.
    func read(into target: UnsafeMutableRawBufferPointer, at offset: Int) throws(ImageError) {
        precondition(offset >= 0 && target.count <= byteCount - offset)
        guard try file.read(into: target, at: offset) == target.count else {
            throw ImageError(.inputOutput, "\(file.name) can't be read: it has become shorter")
        }
    }

    /// Waits until what was written of `range` is on the disk.
    /// - Throws: `inputOutput`.
    func writeBack(_ range: Range<Int>) throws(ImageError) { try file.writeBack(range) }
}

extension TileFile {
    /// A full disk is best noticed before a second of decoding.
    private static func checkRoom(for byteCount: Int, _ number: CInt, _ name: String) throws(ImageError) {
        var status = statvfs()
        guard fstatvfs(number, &status) == 0 else { return }
        let (room, overflows) = UInt(status.f_bavail).multipliedReportingOverflow(by: UInt(status.f_frsize))
        guard !overflows, room < UInt(byteCount) else { return }
        throw ImageError(
            .inputOutput, "\(name) can't be made: it takes \(byteCount) bytes, and there is room for \(room)")
    }

    /// Beyond this limit the system ends the process instead of reporting a failure.
    private static func checkLimit(for byteCount: Int, _ name: String) throws(ImageError) {
        guard let limit = ResourceLimit.fileByteCount.current, limit < UInt64(byteCount) else { return }
        throw ImageError(
            .inputOutput,
            "\(name) can't be made: it takes \(byteCount) bytes, and the process may write \(limit)")
    }

    private static func failure(_ purpose: String, _ name: String, _ code: CInt = errno) -> ImageError {
        ImageError(.inputOutput, "\(name) can't be \(purpose): \(SystemError(code))")
    }
}
