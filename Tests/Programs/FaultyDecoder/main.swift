internal import DecodingWorker
internal import ImageFormats
internal import ImageIsolation
internal import Raster
#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

// A worker as `tessera-decode` is one, until it meets a picture that is marked: with it comes the fault that its last
// argument names.

func answer(with fault: String, _ library: DecodingLibrary) -> Never {
    var isMarked = false
    DecodingWorker.run(library) { request, message in
        if case .begin(let beginning) = request {
            isMarked = beginning.options.limits.maximumFrameCount == Fault.mark
        }
        guard isMarked, Fault.concerns(request, fault) else { return message }
        return Fault.commit(fault, message)
    }
}

/// Has a worker hang that belongs to this process, says which it is, and waits.
func lead(_ bytes: [UInt8]) throws {
    let isolation = IsolatedDecoding(worker: CommandLine.arguments[0], arguments: ["hang"])
    print(getpid())
    fflush(nil)
    var options = DecodingOptions()
    options.limits.maximumFrameCount = Fault.mark
    _ = try ImageSource.decode(bytes, options: options, registry: isolation.registry)
}

switch CommandLine.arguments.count {
case 3:
    guard let library = DecodingLibrary(rawValue: CommandLine.arguments[1]) else { exit(64) }
    answer(with: CommandLine.arguments[2], library)
case 2:
    try lead(Source(path: CommandLine.arguments[1]).bytes(limit: 1 << 20))
default:
    exit(64)
}
