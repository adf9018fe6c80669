internal import DecodingWorker
internal import ImageIsolation
internal import Platform

guard CommandLine.arguments.count == 2, let library = DecodingLibrary(rawValue: CommandLine.arguments[1]) else {
    print("tessera-decode decodes pictures for Tessera, which starts it when it is asked to --isolate.")
    exit(64)
}
DecodingWorker.run(library)
