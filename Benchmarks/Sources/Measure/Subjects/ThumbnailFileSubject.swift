import Foundation
import ImageFormats
import Tessera

/// A file to another that fits within a square, as a program does it, with the gain map if there is one: both paths, and the
/// square's side.
final class ThumbnailFileSubject: Subject {
    private let (input, result): (String, String)
    private let side: Int

    init(_ arguments: [String]) throws {
        (input, result) = (arguments[0], arguments[1])
        side = try Int(arguments.number(2))
    }

    func prepare() {}

    func run() throws {
        try Image(path: input).thumbnail(fitting: side).write(to: result)
    }

    func output() throws -> Output { .file(try [UInt8](Data(contentsOf: URL(filePath: result)))) }
}
