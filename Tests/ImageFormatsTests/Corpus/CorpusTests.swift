import Foundation
import ImageFormats
import Raster
import Testing
import TestSupport

/// Every real file, through the door that users take.
@Suite("Corpus", .needsCorpus)
struct CorpusTests {
    /// Valid files that can't be decoded here, and why. Nothing may be in this list by oversight.
    static let exceptions = [
        "valid/heif/libheif__rgb_generic_compressed_zlib.heif": "uncompressed pixels: libheif 1.15 has no decoder",
        "valid/heif/libheif__vvc32.heif": "VVC: libheif 1.15 has no decoder",
    ]

    private static func files(_ kind: String) -> [String] {
        guard let folder = Corpus.folder else { return [] }
        let names = FileManager.default.enumerator(atPath: "\(folder)/\(kind)")?.compactMap { $0 as? String } ?? []
        var isFolder: ObjCBool = false
        return names.sorted().map { "\(kind)/\($0)" }.filter {
            FileManager.default.fileExists(atPath: "\(folder)/\($0)", isDirectory: &isFolder) && !isFolder.boolValue
                && !$0.hasSuffix(".tsv") && !$0.hasSuffix(".md") && !$0.hasSuffix(".txt")
        }
    }

    private static func bytes(_ name: String) throws -> [UInt8] {
        try Corpus.bytes("\(Corpus.folder!)/\(name)")
    }

    @Test("Every valid file decodes if its library supports it", arguments: files("valid") + files("photos"))
    func valid(name: String) throws {
        let file = try Self.bytes(name)
        let exception = Self.exceptions.first { name.hasPrefix($0.key) }
        do {
            let decoded = try ImageSource.decode(file)
            if let error = decoded.error { throw error }
            #expect(exception == nil, "\(name) decodes now: it is no exception any more")
            #expect(decoded.bitmap.size == decoded.header.size)
        } catch {
            let reason = try #require(exception?.value, "\(name): \(error)")
            let code = try #require(error as? ImageError).code
            #expect(code == .unsupported)
            print("not decoded: \(name): \(reason)")
        }
    }

    @Test("Every frame and page of every valid file decodes", arguments: files("valid"))
    func sequences(name: String) throws {
        guard !Self.exceptions.contains(where: { name.hasPrefix($0.key) }) else { return }
        let file = try Self.bytes(name)
        guard let sequence = try ImageSource.decode(file).header.sequence else { return }
        switch sequence.kind {
        case .animation:
            let source = try AnimatedImageSource(file)
            #expect(source.error == nil)
            for index in source.frames.indices { #expect(try source.frame(at: index).size == source.size) }
        case .pages:
            for index in 0..<(sequence.count ?? 1) {
                let page = try ImageSource.decode(file, options: DecodingOptions(imageIndex: index))
                #expect(page.error == nil, "picture \(index)")
            }
        }
    }

    @Test("Every invalid file gives an image, a part of one, or an error", arguments: files("invalid"))
    func invalid(name: String) throws {
        let file = try Self.bytes(name)
        if let decoded = try? ImageSource.decode(file) { #expect(decoded.bitmap.size == decoded.header.size) }
        if let source = try? AnimatedImageSource(file) {
            for index in source.frames.indices.prefix(20) { _ = try? source.frame(at: index) }
        }
    }
}
