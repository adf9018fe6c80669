import Foundation

/// The program that `Benchmarks/compare` starts, once for each subject it measures.
@main
enum Measure {
    static func main() {
        do {
            let session = try Session(Array(CommandLine.arguments.dropFirst()))
            try session.serve()
        } catch {
            Session.answer(["error": "\(error)"])
            exit(1)
        }
    }
}
