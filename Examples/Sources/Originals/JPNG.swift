// JPNG's README: each function and each method that it changes, as Swift's importer spells them.
import Foundation
import TesseraCompatibility

enum JPNGDocument {
    // MARK: Functions

    static func functions(_ image: UIImage) throws {
        let quality: CGFloat = 0.8
        let data = try require(CGImageJPNGRepresentation(image, quality))
        let forced = try require(CGImageCreateWithJPNGData(data, true))
        expect(forced.isDecoded && forced.hasAlpha)

        let mobile = try require(UIImageJPNGRepresentation(image, quality))
        let orientation = Orientation.right
        let turned = try require(UIImageWithJPNGData(mobile, 2, orientation))
        expect(!turned.isDecoded && turned.scale == 2 && turned.size.width == image.size.height)

        let desktop = try require(NSImageJPNGRepresentation(image, quality))
        expect(NSImageWithJPNGData(desktop, 0)?.size == image.size)
        expect(UIImageWithJPNGData(Data("not a JPNG".utf8), 1, .up) == nil)
    }

    // MARK: Methods that load JPNG files too

    static func swizzledMethods(_ file: String) throws {
        let data = try Data(contentsOf: URL(fileURLWithPath: file))
        let fromFile = UIImage(contentsOfFile: file)
        let fromData = UIImage(data: data)
        let missing = NSImage(named: "no such image")
        expect(fromFile?.hasAlpha == true && fromData?.hasAlpha == true && missing == nil)
    }

    // MARK: Settings, which were macros

    static func settings(_ file: String) {
        // JPNG_SWIZZLE_ENABLED=0
        JPNG.isLoadedAutomatically = false
        expect(UIImage(contentsOfFile: file)?.hasAlpha == false)
        JPNG.isLoadedAutomatically = true

        // JPNG_ALWAYS_FORCE_DECOMPRESSION=1
        JPNG.alwaysForcesDecompression = true
        expect(UIImage(contentsOfFile: file)?.isDecoded == true)
        JPNG.alwaysForcesDecompression = false
    }

    // MARK: Decompression, and textures

    static func decompression(_ file: String) throws {
        let compressedJPNG = try require(UIImage(contentsOfFile: file))
        let uncompressedJPNG = try compressedJPNG.decompressed()
        expect(uncompressedJPNG.isDecoded)
        let texture = try GLKTextureLoader.texture(with: uncompressedJPNG, options: nil)
        expect(texture.bytes.count == 4 * texture.width * texture.height)
    }

    // MARK: The footer

    static func footer(_ data: [UInt8]) throws {
        let footer: JPNGFooter = try JPNGContainer(verifying: data.span.bytes).footer
        let imageSize: UInt32 = footer.imageSize
        let maskSize: UInt32 = footer.maskSize
        let footerSize: UInt16 = footer.footerSize
        let majorVersion: UInt8 = footer.majorVersion
        let minorVersion: UInt8 = footer.minorVersion
        let identifier: UInt32 = footer.identifier.rawValue
        expect(identifier == JPNGIdentifier && (majorVersion, minorVersion) == (1, 0))
        expect(Int(imageSize) + Int(maskSize) + Int(footerSize) == data.count)
    }

    static func run(_ image: UIImage, in folder: String) throws {
        try functions(image)
        let file = folder + "/disc.jpng"
        try image.write(to: file)
        try swizzledMethods(file)
        settings(file)
        try decompression(file)
        try footer(image.jpngData())
        print("JPNG: 6 functions, 3 methods, 2 settings and the footer")
    }
}
