import ImageFormats
import ImageServer
import Raster
import Testing

@Suite("Presets")
struct PresetTests {
    private static let presets = ["small": "w=60&format=png", "grey": "saturation=0", "sized": "w=60"]

    private func gallery(_ change: (inout ImageServerConfiguration) -> Void = { _ in }) throws -> Gallery {
        try Gallery {
            $0.presets = Self.presets
            change(&$0)
        }
    }

    @Test(
        "A preset gives what its query gives",
        arguments: [
            ("preset=small", "w=60&format=png"), ("preset=small&blur=2", "w=60&format=png&blur=2"),
            ("preset=small&preset=grey", "w=60&format=png&saturation=0"),
        ])
    func expansion(_ short: String, _ long: String) async throws {
        let gallery = try gallery()
        let (one, other) = (
            await gallery.get("/image/photo.png?\(short)"), await gallery.get("/image/photo.png?\(long)")
        )
        guard case .bytes(let first) = one.body, case .bytes(let second) = other.body else {
            Issue.record("no bytes")
            return
        }
        #expect(one.status == 200 && first.array == second.array && one["ETag"] == other["ETag"])
    }

    @Test(
        "What can't be is refused",
        arguments: [
            ("preset=large", "no preset"), ("preset=small&preset=sized", "w is there twice"), ("preset=", "no preset"),
        ])
    func refusals(_ query: String, _ message: String) async throws {
        let response = try await gallery().get("/image/photo.png?\(query)")
        #expect(response.status == 400 && response.text.contains(message), "\(response.text)")
    }

    @Test(
        "With only presets, images are answered by preset and nothing else",
        arguments: [
            ("/image/photo.png?preset=small", 200), ("/image/photo.png?preset=small&blur=2", 403),
            ("/image/photo.png?w=60", 403), ("/image/photo.png", 403), ("/original/photo.png", 403),
            ("/iiif/3/photo.png/full/60,/0/default.jpg", 403), ("/iiif/3/photo.png/info.json", 403),
            ("/dzi/photo.png.dzi", 403), ("/image/photo.png?preset=large", 400), ("/healthz", 200),
        ])
    func required(_ target: String, _ status: Int) async throws {
        let response = try await gallery { $0.requiresPresets = true }.get(target)
        #expect(response.status == status, "\(response.text)")
    }

    @Test("Presets that aren't queries are refused at the start", arguments: ["w=wide", "colour=1", "w=1&w=2", "w=%"])
    func invalid(_ query: String) throws {
        let error = #expect(throws: ImageError.self) { try Gallery { $0.presets = ["odd": query] } }
        #expect(error?.code == .invalidParameter && error?.message.contains("odd") == true)
    }

    @Test("Only presets without any preset is a mistake")
    func none() throws {
        #expect(throws: ImageError.self) { try Gallery { $0.requiresPresets = true } }
    }

    #if Server
    @Test(
        "With keys, presets need no signature, and everything else does",
        arguments: [("/image/photo.png?preset=small", 200), ("/image/photo.png?w=60", 403), ("/api/pictures", 403)])
    func keys(_ target: String, _ status: Int) async throws {
        let key = try SigningKey(Array("a key of sixteen bytes or more".utf8), id: "one")
        let gallery = try gallery {
            $0.requiresPresets = true
            $0.signingKeys = [key]
        }
        #expect(await gallery.get(target).status == status)
        let signed = try URLSignature(keys: [key]).signed(target)
        #expect(await gallery.get(signed).status == 200)
    }
    #endif
}
