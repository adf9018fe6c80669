import Foundation
import ImageFormats
import ImageFormatsTestSupport
import ImageIsolation
import Raster
import Testing

extension IsolationTests {
    @Suite("Workers, one after the other")
    struct WorkerPoolTests {
        private static func file() throws -> [UInt8] {
            try ImageDestination(format: .jpeg).encode(.grainy(PixelSize(width: 320, height: 240)))
        }

        @Test("A worker is replaced after a number of images")
        func replaced() throws {
            let isolation = try IsolatedDecoding(options: IsolatedDecoding.Options(picturesPerWorker: 4))
            let file = try Self.file()
            for _ in 0..<10 { _ = try ImageSource.decode(file, registry: isolation.registry) }
            #expect(isolation.startedWorkerCount == 3)
        }

        @Test("200 images leak no descriptors and no memory")
        func flat() throws {
            let isolation = try IsolatedDecoding()
            let file = try Self.file()
            func decode(_ count: Int) throws {
                for _ in 0..<count { _ = try ImageSource.decode(file, registry: isolation.registry) }
            }
            try decode(100)
            // Other tests take memory and descriptors meanwhile, now and then; what a picture keeps is kept each time.
            var (descriptors, memory) = (Int.max, Int.max)
            for _ in 0..<5 where descriptors > 8 || memory > 8192 {
                let before = (descriptors: Self.descriptorCount, memory: Self.residentPageCount)
                try decode(200)
                descriptors = min(descriptors, Self.descriptorCount - before.descriptors)
                memory = min(memory, Self.residentPageCount - before.memory)
            }
            #expect(descriptors <= 8 && memory <= 8192)
            #expect(isolation.startedWorkerCount <= 18)
        }

        @Test("Several images decode concurrently, and headers alone")
        func together() async throws {
            let isolation = try IsolatedDecoding()
            let file = try Self.file()
            let expected = try ImageSource.decode(file).bitmap.tightBytes()
            await withTaskGroup(of: Bool.self) { group in
                for index in 0..<24 {
                    group.addTask {
                        if index % 3 == 0 {
                            return (try? ImageSource.header(of: file, registry: isolation.registry)) != nil
                        }
                        let decoded = try? ImageSource.decode(file, registry: isolation.registry)
                        return decoded?.bitmap.tightBytes() == expected
                    }
                }
                for await isRight in group { #expect(isRight) }
            }
            #expect(isolation.idleWorkerCount <= ImageExecutor.processorCount)
        }

        private static var descriptorCount: Int {
            (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
        }

        private static var residentPageCount: Int {
            let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
            return text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        }
    }
}
