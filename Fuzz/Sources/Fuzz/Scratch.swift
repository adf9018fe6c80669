import Glibc

/// A folder for inputs that have to be files: the one that the environment's FUZZ_SCRATCH names, which `Fuzz/run`
/// makes and removes.
enum Scratch {
    /// Where `name` is in it.
    static func path(_ name: String) -> String { "\(folder)/\(name)" }

    /// Makes the file called `name` hold `bytes`, and says where it is.
    @discardableResult
    static func write(_ bytes: [UInt8], to name: String) -> String {
        let path = path(name)
        guard let file = fopen(path, "w"), fwrite(bytes, 1, bytes.count, file) == bytes.count, fclose(file) == 0 else {
            fatalError("cannot write \(path)")
        }
        return path
    }

    /// What the file at `path` holds.
    static func read(_ path: String) -> [UInt8] {
        guard let file = fopen(path, "r") else { return [] }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        bytes.removeLast(bytes.count - fread(&bytes, 1, bytes.count, file))
        return bytes
    }

    private static let folder: String = {
        guard let folder = Environment.value(of: "FUZZ_SCRATCH") else { fatalError("FUZZ_SCRATCH names no folder") }
        return folder
    }()
}
