import Glibc

/// What libFuzzer calls once, before anything else. `Fuzz/run` asks two things of the program by the environment:
/// with FUZZ_LIST the targets' names and seed extensions, a line each; with FUZZ_SEEDS the chosen target's seeds,
/// as files in that folder.
@c(LLVMFuzzerInitialize)
public func fuzzerInitialize(
    _ count: UnsafeMutablePointer<CInt>?, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>>?
) -> CInt {
    if Environment.value(of: "FUZZ_LIST") != nil {
        for target in FuzzTarget.all {
            print(target.name, target.seedExtensions.joined(separator: " "))
        }
        exit(0)
    }
    guard let target = FuzzTarget.chosen else {
        fatalError("FUZZ_TARGET names no target")
    }
    if let folder = Environment.value(of: "FUZZ_SEEDS") {
        for (number, seed) in target.seeds().enumerated() {
            guard let file = fopen("\(folder)/seed-\(number)", "w"),
                fwrite(seed, 1, seed.count, file) == seed.count, fclose(file) == 0
            else {
                fatalError("cannot write seeds to \(folder)")
            }
        }
        exit(0)
    }
    return 0
}

/// What libFuzzer calls with each input.
@c(LLVMFuzzerTestOneInput)
public func fuzzerTestOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    // libFuzzer lends `count` bytes for the length of this call; the copy makes overreads visible to the sanitizer.
    FuzzTarget.chosen?.run(Array(UnsafeBufferPointer(start: bytes, count: count)))
    return 0
}
