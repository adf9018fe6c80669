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
// argument names. Or one as `tessera-svg` is, whose fault is its name.

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

/// Says of each document what `tessera-svg` would of one that has nothing in it, and commits the fault that this program is
/// called by.
func draw(with fault: String, seconds: UInt) -> Never {
    var limit = rlimit(rlim_cur: rlim_t(seconds), rlim_max: rlim_t(seconds + 1))
    setrlimit(__rlimit_resource_t(RLIMIT_CPU.rawValue), &limit)
    let size = PixelSize(width: 40, height: 30)
    var rowsLeft = size.height
    DecodingWorker.run(DecodingLibrary(for: .svg)) { request, _ in
        var reply = Reply()
        switch request {
        case .finish: reply.header = ImageHeader(format: .svg, storedSize: size, colorModel: .rgb, hasAlpha: true)
        case .start: reply.outcome = .started(BitmapInfo(size: size, format: .rgba8, alpha: .premultiplied))
        case .read(let wanted):
            let count = min(wanted, rowsLeft)
            rowsLeft -= count
            reply.outcome = .read(count > 0 ? .rows(count) : .end)
        default: break
        }
        return Fault.concerns(request, fault) ? Fault.commit(fault, reply.message) : reply.message
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
    if let library = DecodingLibrary(rawValue: CommandLine.arguments[1]) {
        answer(with: CommandLine.arguments[2], library)
    }
    // Started as tessera-svg is, with the seconds and bytes that it may take.
    guard let seconds = UInt(CommandLine.arguments[1]) else { exit(64) }
    draw(with: CommandLine.arguments[0].split(separator: "/").last.map(String.init) ?? "", seconds: seconds)
case 2:
    try lead(Source(path: CommandLine.arguments[1]).bytes(limit: 1 << 20))
default:
    exit(64)
}
