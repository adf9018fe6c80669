internal import DecodingWorker
internal import ImageIsolation
#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

guard CommandLine.arguments.count == 2, let library = DecodingLibrary(rawValue: CommandLine.arguments[1]) else {
    print("tessera-decode decodes pictures for Tessera, which starts it when it is asked to --isolate.")
    exit(64)
}
DecodingWorker.run(library)
