import Foundation
import Raster
import TestSupport
import Testing

/// A window with one widget on a display of its own, whose clock the test sets.
final class SceneSession: Sendable {
    let display: Display
    let scene: RunningProgram

    /// - Parameter scale: Device pixels per point.
    init(scale: Int = 1) async throws {
        display = try await Display()
        scene = try RunningProgram(
            BuiltProgram("ViewScene").path, [],
            environment: display.environment.merging(["GDK_SCALE": "\(scale)"]) { $1 }, takesInput: true)
    }

    /// Has the scene do what `line` says, and returns what it answers.
    @discardableResult
    func tell(_ line: String) async throws -> String {
        let count = answers.count
        try scene.send(line)
        _ = await eventually(every: .milliseconds(10)) { answers.count > count || !scene.isRunning }
        let lines = answers
        guard lines.count > count else { throw Display.Failure("no answer to \(line): \(scene.errors)") }
        return lines[count]
    }

    /// Whole lines alone.
    private var answers: [String] {
        String(decoding: scene.output, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
            .dropLast().map(String.init)
    }

    /// What is on the display as soon as it is as `condition` says.
    @discardableResult
    func capture(
        _ what: Comment, sourceLocation: SourceLocation = #_sourceLocation, until condition: (Bitmap) -> Bool
    ) async throws -> Bitmap {
        try await display.capture(what, of: scene, sourceLocation: sourceLocation, until: condition)
    }
}
