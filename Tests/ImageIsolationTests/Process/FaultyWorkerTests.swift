import Foundation
import ImageFormats
import ImageFormatsTestSupport
import ImageIsolation
import Raster
import TestSupport
import Testing

extension IsolationTests {
    /// What a worker does costs the picture that it was at, and nothing else.
    @Suite("Workers that fail")
    struct FaultyWorkerTests {
        private static let tool = BuiltProgram("FaultyDecoder").tool

        private static func file() throws -> [UInt8] {
            try ImageDestination(format: .png).encode(.grainy(PixelSize(width: 100, height: 80)))
        }

        /// How long a worker that hangs is waited for: longer than a busy machine takes to start the next, which has no more.
        private static let hangSeconds = 15

        /// Which program a worker stands for.
        enum Kind: CaseIterable {
            /// `tessera-decode`, which decodes one picture after the other.
            case decoding
            #if SVG
            /// `tessera-svg`, which is started for each document.
            case drawing
            #endif
        }

        private static func isolation(_ fault: String) -> IsolatedDecoding {
            IsolatedDecoding(
                worker: tool.path ?? "", arguments: [fault],
                options: IsolatedDecoding.Options(
                    processorSeconds: 1, answerSeconds: fault == "hang" ? hangSeconds : 60))
        }

        /// The error that a marked picture ends with.
        private static func error(_ isolation: IsolatedDecoding) throws -> ImageError? {
            var options = DecodingOptions()
            options.limits.maximumFrameCount = 777
            do {
                return try ImageSource.decode(file(), options: options, registry: isolation.registry).error
            } catch {
                return error as? ImageError
            }
        }

        private static let faults =
            [
                ("crash", "worker failed", "signal 11"), ("trap", "worker failed", "ended with signal"),
                ("abort", "worker failed", "signal 6"), ("exit", "worker failed", "ended with status 5"),
                ("hang", "limit exceeded", "gave no answer for \(hangSeconds) s"),
                ("spin", "limit exceeded", "1 s of processor time"),
                ("socket", "worker failed", "forbidden system call"),
                ("program", "worker failed", "forbidden system call"),
                ("signal", "worker failed", "forbidden system call"),
                ("limits", "worker failed", "forbidden system call"),
                ("own descriptor", "worker failed", "forbidden system call"),
                ("executable", "worker failed", "forbidden system call"),
                ("short", "worker failed", "decoder process sent an invalid reply"),
                ("long", "worker failed", "decoder process sent an invalid reply"),
                ("empty", "worker failed", "decoder process sent an invalid reply"),
                ("noise", "worker failed", "decoder process sent an invalid reply"),
                ("announcement", "worker failed", "ended with status 0"),
                ("many rows", "worker failed", "decoder process sent an invalid reply"),
                ("other answer", "worker failed", "decoder process sent an invalid reply"),
                ("huge picture", "worker failed", "decoder process sent an invalid reply"),
                ("other size", "limit exceeded", "the limit"),
                ("frames", "worker failed", "decoder process sent an invalid reply"),
            ] as [(String, String, String)]

        /// What comes of these instead where a document is drawn: where librsvg's memory ends it ends the process; there is
        /// more time; and a document's own size may be any, but it is no PNG.
        private static let drawingFaults = [
            "crash": ("limit exceeded", "signal 11"), "trap": ("limit exceeded", "ended with signal"),
            "abort": ("limit exceeded", "signal 6"), "hang": ("limit exceeded", "gave no answer for 13 s"),
            "other size": ("worker failed", "decoder process sent an invalid reply"),
        ]

        @Test(
            "The image fails, and the next one is decoded by another worker", .needs(tool), arguments: Kind.allCases,
            faults)
        func replaced(kind: Kind, row: (fault: String, code: String, message: String)) throws {
            switch kind {
            case .decoding:
                let isolation = Self.isolation(row.fault)
                let error = try #require(try Self.error(isolation))
                #expect(error.code.description == row.code && error.message.contains(row.message), "\(error)")
                let next = try ImageSource.decode(Self.file(), registry: isolation.registry)
                #expect(next.error == nil && isolation.startedWorkerCount == 2)
            #if SVG
            case .drawing:
                let (code, message) = Self.drawingFaults[row.fault] ?? (row.code, row.message)
                let error = try #require(throws: ImageError.self) { try Self.draw(by: row.fault) }
                #expect(error.code.description == code && error.message.contains(message), "\(error)")
            #endif
            }
        }

        #if SVG
        /// A document of 40 by 30 pixels, by the tool under the name of a fault.
        private static func draw(by fault: String) throws -> Bitmap {
            let folder = try TemporaryFolder()
            try FileManager.default.createSymbolicLink(
                atPath: folder.file(fault), withDestinationPath: try #require(tool.path))
            let registry = CodecRegistry([SVGCodec(processorSeconds: 1, workerPath: folder.file(fault))])
            let decoded = try ImageSource.decode(
                Array("<svg xmlns='http://www.w3.org/2000/svg'/>".utf8), registry: registry)
            if let error = decoded.error { throw error }
            return decoded.bitmap
        }

        @Test("a worker that isn't tessera-svg but says the same draws, where there is no fault", .needs(tool))
        func drawn() throws {
            #expect(try Self.draw(by: "none").size == PixelSize(width: 40, height: 30))
        }
        #endif

        private static let refusals =
            [
                ("open", "open: Permission denied"), ("open by library", "open: Permission denied"),
                ("code", "mmap: Permission denied"), ("shrink", "ftruncate: Permission denied"),
                ("memory", "malloc: Cannot allocate memory"),
            ] as [(String, String)]

        @Test("A call that libraries may try is refused, and the worker stays", .needs(tool), arguments: refusals)
        func refused(fault: String, message: String) throws {
            let isolation = Self.isolation(fault)
            #expect(try Self.error(isolation) == ImageError(.inputOutput, message))
            let next = try ImageSource.decode(Self.file(), registry: isolation.registry)
            #expect(next.error == nil && isolation.startedWorkerCount == 1)
        }

        @Test("A missing program, and one that is no worker, are errors")
        func noWorker() throws {
            for path in ["/nowhere/tessera-decode", "/bin/true"] {
                let isolation = IsolatedDecoding(worker: path)
                let code = errorCode { try ImageSource.decode(Self.file(), registry: isolation.registry) }
                #expect(code == .inputOutput || code == .workerFailed)
            }
        }

        @Test("A worker ends with the process that started it", .needs(tool))
        func orphan() async throws {
            let folder = try TemporaryFolder()
            let path = try folder.write(Self.file(), to: "a.png")
            let process = Process()
            let output = Pipe()
            process.executableURL = URL(fileURLWithPath: try #require(Self.tool.path))
            process.arguments = [path]
            process.standardOutput = output
            try process.run()
            _ = output.fileHandleForReading.availableData
            // A child of another process announces neither its start nor its end.
            var children: [String] = []
            #expect(
                await eventually {
                    children = Self.children(of: process.processIdentifier)
                    return !children.isEmpty
                })
            #expect(children.count == 1)
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            #expect(await eventually { !children.contains(where: Self.isAlive) })
        }

        private static func children(of process: Int32) -> [String] {
            let text = try? String(contentsOfFile: "/proc/\(process)/task/\(process)/children", encoding: .utf8)
            return (text ?? "").split(separator: " ").map(String.init)
        }

        private static func isAlive(_ process: String) -> Bool {
            guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else { return false }
            // A zombie has nobody left to take note of it.
            return !text.contains(") Z ")
        }
    }
}
