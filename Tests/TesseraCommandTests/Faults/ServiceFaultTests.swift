import Foundation
import ImageLoading
import Tessera
import TestSupport
import Testing

/// The disk cache, and what the server answers by, among calls of the system that fail.
@Suite("Faults of a cache and a server", .serialized, .needs(FaultyCalls.compiler), .timeLimit(.minutes(15)))
struct ServiceFaultTests {
    private static func program(_ name: String) -> String {
        URL(fileURLWithPath: Command.program).deletingLastPathComponent().appendingPathComponent(name).path
    }

    private let calls: FaultyCalls

    init() throws { calls = try FaultyCalls() }

    @Test("A cache on a failing disk has whole entries or none, and delays nobody")
    func cache() throws {
        for (call, error) in FaultTests.harmless + FaultTests.fatal {
            for first in [1, 2, 4, 30] {
                let folder = try TemporaryFolder()
                let environment = calls.environment(call, error, from: first, in: folder)
                let outcome = try Command.run(
                    [folder.file("cache"), "7", "60"], in: folder, environment: environment,
                    program: Self.program("CacheWriter"))
                guard calls.wereFelt else { break }
                #expect(outcome.status == 0, "\(call) \(error) \(first): \(outcome.status) \(outcome.errors)")
                guard FileManager.default.fileExists(atPath: folder.file("cache")) else { continue }
                let verified = DataCache(directory: folder.file("cache")).folder.verify(removesDamaged: false) {
                    (path, damage) in
                    Issue.record("\(call) \(error) \(first): \(path), byte \(damage.offset): \(damage.message)")
                }
                // An interrupted or a short call costs no entry.
                if error == "short" || error == "EINTR" { #expect(verified.whole > 10, "\(call) \(error)") }
            }
        }
    }

    @Test("The service answers every request, and the originals stay unchanged")
    func service() throws {
        let targets = [
            "/iiif/3/photo.jpg/full/30,/0/default.png", "/iiif/3/photo.jpg/0,0,32,32/max/0/default.jpg",
            "/image/cutout.png?w=30&radius=4", "/original/photo.jpg", "/dzi/photo.jpg_files/6/0_0.jpg", "/",
        ]
        for (call, error) in FaultTests.harmless + FaultTests.fatal {
            for first in [1, 2, 3, 6, 15] {
                let folder = try TemporaryFolder()
                let photo = try Pictures.photograph().file(.jpeg)
                let cutout = try Pictures.cutout().file(.png)
                try FileManager.default.createDirectory(
                    atPath: folder.file("pictures"), withIntermediateDirectories: true)
                try folder.write(photo, to: "pictures/photo.jpg")
                try folder.write(cutout, to: "pictures/cutout.png")
                let environment = calls.environment(call, error, from: first, in: folder)
                let outcome = try Command.run(
                    [folder.file("pictures"), folder.file("cache")] + targets, in: folder, environment: environment,
                    program: Self.program("PictureAsker"))
                guard calls.wereFelt else { break }
                let statuses = outcome.text.split(separator: "\n").compactMap { Int($0.prefix { $0 != " " }) }
                let fault = "\(call) \(error) \(first): \(outcome.text) \(outcome.errors)"
                #expect(outcome.status == 0, "\(fault)")
                // A folder that can't be opened is none that can be served.
                #expect(statuses.count == targets.count || statuses == [0], "\(fault)")
                #expect(statuses.allSatisfy { $0 == 0 || [200, 404, 500, 503].contains($0) }, "\(fault)")
                if error == "short" || error == "EINTR" { #expect(statuses.allSatisfy { $0 == 200 }, "\(fault)") }
                #expect(try folder.names(in: "pictures") == ["cutout.png", "photo.jpg"])
                #expect(try folder.read("pictures/photo.jpg") == photo)
                #expect(try folder.read("pictures/cutout.png") == cutout)
            }
        }
    }
}
