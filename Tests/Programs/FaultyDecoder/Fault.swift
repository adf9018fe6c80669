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

/// What a broken or hostile worker does.
enum Fault {
    /// What marks a picture: a limit on frames that no other has.
    static let mark = 777

    /// Whether the fault is committed when this is asked.
    static func concerns(_ request: Request, _ fault: String) -> Bool {
        switch request {
        case .start: fault == "huge picture"
        case .read: fault != "huge picture" && fault != "other size" && fault != "frames"
        case .append, .finish: fault == "other size" || fault == "frames"
        default: false
        }
    }

    /// Commits it; what is said instead of `message` if it is a lie.
    static func commit(_ fault: String, _ message: [UInt8]) -> [UInt8] {
        switch fault {
        case "crash": UnsafeMutablePointer<Int>(bitPattern: 16)!.pointee = 1
        case "trap": fatalError("as a decoder would")
        case "abort": abort()
        case "exit": exit(5)
        case "hang": while true { sleep(1000) }
        case "spin": while true {}
        case "socket": _ = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        case "program": start("/bin/true")
        case "signal": kill(getppid(), 0)
        case "limits":
            var limit = rlimit(rlim_cur: 1, rlim_max: 1)
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        case "own descriptor": close(3)
        case "executable":
            let page = mmap(nil, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
            mprotect(page, 4096, PROT_READ | PROT_EXEC)
        case "open": return failed(openat(AT_FDCWD, "/etc/passwd", O_RDONLY), "open")
        case "open by library": return failed(open("/etc/passwd", O_RDONLY), "open")
        case "code":
            let page = mmap(nil, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
            return failed(page == MAP_FAILED ? -1 : 0, "mmap")
        case "shrink": return failed(ftruncate(4, 0), "ftruncate")
        case "memory":
            var blocks: [UnsafeMutableRawPointer] = []
            while blocks.count < 1024, let block = malloc(64 << 20) { blocks.append(block) }
            defer { for block in blocks { free(block) } }
            errno = ENOMEM
            return failed(blocks.count < 1024 ? -1 : 0, "malloc")
        case "short": return Array(message.dropLast())
        case "long": return message + [0]
        case "empty": return []
        case "noise": return message.indices.map { UInt8(truncatingIfNeeded: $0 &* 167 &+ 13) }
        case "announcement":
            write(0, [0xFF, 0xFF, 0xFF, 0x0F] as [UInt8], 4)
            exit(0)
        case "many rows": return reply(.read(.rows(1 << 30)))
        case "other answer": return reply(.done)
        case "huge picture":
            return reply(.started(BitmapInfo(size: PixelSize(width: 1 << 20, height: 1 << 20), format: .rgba16)))
        case "other size":
            var lie = Reply()
            lie.header = ImageHeader(
                format: .png, storedSize: PixelSize(width: 1 << 30, height: 1 << 30), colorModel: .rgb)
            return lie.message
        case "frames":
            var lie = Reply()
            lie.header = ImageHeader(format: .png, storedSize: PixelSize(width: 2, height: 2), colorModel: .rgb)
            lie.frames = [AnimationFrame(region: PixelRect(x: 1, y: 1, width: 2, height: 2), storedDuration: 0)]
            return lie.message
        default: break
        }
        return message
    }

    private static func reply(_ outcome: Reply.Outcome) -> [UInt8] {
        var reply = Reply()
        reply.outcome = outcome
        return reply.message
    }

    /// What `call` came to, as an error.
    private static func failed(_ result: CInt, _ call: String) -> [UInt8] {
        let reason = result < 0 ? String(cString: strerror(errno)) : "done"
        return reply(.failed(ImageError(.inputOutput, "\(call): \(reason)")))
    }

    private static func start(_ program: String) {
        var process: pid_t = 0
        var words: [UnsafeMutablePointer<CChar>?] = [strdup(program), nil]
        posix_spawn(&process, program, nil, nil, &words, nil)
    }
}
