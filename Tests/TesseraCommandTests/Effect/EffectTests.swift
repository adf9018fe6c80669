import Foundation
import ImageEffects
import Tessera
import Testing
import TestSupport

/// Effects by options: what is done, and in which order.
@Suite("tessera effect")
struct EffectTests {
    private let folder: TemporaryFolder
    private let photograph: Bitmap

    init() throws {
        folder = try TemporaryFolder()
        photograph = try Pictures.photograph()
        try folder.write(photograph.file(.png), to: "photo.png")
        try folder.write(Pictures.cutout().file(.png), to: "cutout.png")
        try folder.write(Pictures.mask().file(.png), to: "mask.png")
    }

    /// The pixels of a file, straight.
    private func pixels(_ name: String) throws -> [UInt8] {
        try ImageSource.decode(folder.read(name)).bitmap.converted(to: .rgba8, alpha: .straight).tightBytes()
    }

    /// The pixels that `chain` makes of the photograph.
    private func expected(_ chain: EffectChain, options: EffectOptions = EffectOptions()) throws -> [UInt8] {
        try Image(photograph).applying(chain, options: options).bitmap().converted(to: .rgba8, alpha: .straight)
            .tightBytes()
    }

    /// An option, and the effect that it asks for.
    struct Case: CustomTestStringConvertible, Sendable {
        let arguments: [String]
        let chain: EffectChain

        init(_ arguments: String..., means chain: EffectChain) {
            self.arguments = arguments
            self.chain = chain
        }

        var testDescription: String { arguments.joined(separator: " ") }
    }

    private static let mask: EffectPicture? = (try? Pictures.mask()).map {
        EffectPicture(Image($0), reference: "mask.png")
    }

    private static let cases = [
        Case("--crop", "10,5,30,20", means: [.crop(x: 10, y: 5, width: 30, height: 20)]),
        Case("--crop", "-5,-5,30,20", means: [.crop(x: -5, y: -5, width: 30, height: 20)]),
        Case(
            "--crop=-5,-5,30,20,clamped",
            means: [.crop(x: -5, y: -5, width: 30, height: 20, outside: .clamped)]),
        Case("--fit", "30x30", means: [.scaleToFit(width: 30, height: 30)]),
        Case("--fit", "90x90", means: [.scaleToFit(width: 90, height: 90)]),
        Case("--fill", "30x30", means: [.scaleToFill(width: 30, height: 30)]),
        Case("--cover", "30x30", means: [.cover(width: 30, height: 30)]),
        Case("--scale", "31.4x20", means: [.scale(width: 31.4, height: 20)]),
        Case("--size", "40x40", means: [.cropAndScale(width: 40, height: 40, contentMode: .aspectFit)]),
        Case(
            "--size", "40x40", "--content-mode", "bottomRight",
            means: [.cropAndScale(width: 40, height: 40, contentMode: .bottomRight)]),
        Case(
            "--size", "80x80", "--content-mode", "aspectfit", "--pad",
            means: [.cropAndScale(width: 80, height: 80, contentMode: .aspectFit, padToFit: true)]),
        Case("--smart-crop", "20x20", means: [.smartCrop(width: 20, height: 20)]),
        Case("--smart-crop", "20x20,entropy", means: [.smartCrop(width: 20, height: 20, strategy: .entropy)]),
        Case("--rotate", "7", means: [.rotate(degrees: 7)]),
        Case("--rotate", "-7", means: [.rotate(degrees: -7)]),
        Case("--flip", "horizontal", means: [.flip(.horizontal)]),
        Case("--flip", "vertical", means: [.flip(.vertical)]),
        Case("--grayscale", means: [.grayscale]),
        Case("--sepia", "0.7", means: [.sepia(0.7)]),
        Case("--saturation", "2", means: [.saturation(2)]),
        Case("--brightness", "1.5", means: [.brightness(1.5)]),
        Case("--contrast", "0.5", means: [.contrast(0.5)]),
        Case(
            "--color-matrix", "0,0,1,0,0,0,1,0,0,0,1,0,0,0,0,0,0,0,1,0",
            means: [.colorMatrix([0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0])]),
        Case("--tint", "#33669980", means: [.tint(RGBA8(0x33, 0x66, 0x99, 0x80))]),
        Case("--tint", "#369,multiply", means: [.tint(RGBA8(0x33, 0x66, 0x99), blendMode: .multiply)]),
        Case("--sharpen", "0.8", means: [.sharpen(radius: 1, amount: 0.8)]),
        Case("--sharpen", "0.8,2", means: [.sharpen(radius: 2, amount: 0.8)]),
        Case("--blur", "2.5", means: [.blur(radius: 2.5)]),
        Case("--opacity", "0.5", means: [.opacity(0.5)]),
        Case("--mask", "mask.png", means: mask.map { [.mask($0)] } ?? []),
        Case("--invert-mask", "mask.png", means: mask.map { [.mask($0, isInverted: true)] } ?? []),
        Case("--overlay", "mask.png,3,4", means: mask.map { [.overlay($0, x: 3, y: 4)] } ?? []),
        Case(
            "--overlay", "mask.png,-3,4,20x10,0.5,screen",
            means: mask.map {
                [.overlay($0, x: -3, y: 4, width: 20, height: 10, opacity: 0.5, blendMode: .screen)]
            } ?? []),
        Case("--opacity", "0.5", "--mask-from-alpha", means: [.opacity(0.5), .maskFromAlpha]),
        Case("--radius", "8", means: [.cornerRadius(8)]),
        Case(
            "--radius", "1,2,3,4", means: [.cornerRadius(topLeft: 1, topRight: 2, bottomLeft: 4, bottomRight: 3)]),
        Case("--circle", means: [.circle]),
        Case("--border", "2,#fff", means: [.border(color: RGBA8(255, 255, 255), width: 2)]),
        Case("--border", "2,#fff,6", means: [.border(color: RGBA8(255, 255, 255), width: 2, radius: 6)]),
        Case("--shadow", "2,4,6", means: [.shadow(x: 2, y: 4, blur: 6)]),
        Case(
            "--shadow", "-2,-4,6,#ff000080,threeSigma",
            means: [.shadow(color: RGBA8(255, 0, 0, 128), x: -2, y: -4, blur: 6, border: .threeSigma)]),
        Case("--reflect", "0.5", means: [.reflection(scale: 0.5)]),
        Case("--reflect", "0.5,10,0.25", means: [.reflection(scale: 0.5, gap: 10, alpha: 0.25)]),
        Case("--reflected", "0.4", means: [.reflected(scale: 0.4)]),
        Case("--opacity", "0.5", "--flatten", "#ff8000", means: [.opacity(0.5), .flatten(on: RGBA8(255, 128, 0))]),
    ]

    @Test("Each option applies its effect", arguments: cases)
    func doesWhatAnOptionSays(_ test: Case) throws {
        #expect(!test.chain.effects.isEmpty)
        let outcome = try Command.run(["effect", "photo.png", "out.png"] + test.arguments, in: folder)
        #expect(outcome.status == 0 && outcome.errors == "" && outcome.output.isEmpty, "\(outcome.errors)")
        #expect(try pixels("out.png") == expected(test.chain))
    }

    private static let pipeline: EffectChain = [
        .crop(x: 0, y: 0, width: 50, height: 40), .scaleToFit(width: 40, height: 40), .blur(radius: 1),
        .cornerRadius(5), .shadow(x: 1, y: 2, blur: 3), .reflection(scale: 0.5, gap: -6, alpha: 0.5),
        .flatten(on: RGBA8(255, 255, 255)),
    ]

    @Test("The pipeline's order and the visible gap are kept")
    func keepsToTheOrderOfThePipelineAndTheGapThatIsSeen() throws {
        let outcome = try Command.run(
            "effect", "photo.png", "out.png", "--flatten", "#fff", "--reflect", "0.5,4,0.5", "--shadow", "1,2,3",
            "--radius", "5", "--blur", "1", "--fit", "40x40", "--crop", "0,0,50,40", in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try pixels("out.png") == expected(Self.pipeline))
    }

    @Test("An invisible shadow is left out")
    func leavesOutAShadowThatCantBeSeen() throws {
        for shadow in ["0,0,0", "0,4,12,#00000000"] {
            let outcome = try Command.run(
                "effect", "photo.png", "out.png", "--force", "--shadow", shadow, "--reflect", "0.5,4", in: folder)
            #expect(outcome.status == 0)
            #expect(try pixels("out.png") == expected([.reflection(scale: 0.5, gap: 4)]))
        }
    }

    /// Orders that differ from the pipeline's, written in different ways.
    @Test(
        "The order of the arguments is kept on request",
        arguments: [
            (
                ["--in-order", "--rotate", "90", "--crop", "0,0,20,30", "--rotate", "-90"],
                [.rotate(degrees: 90), .crop(x: 0, y: 0, width: 20, height: 30), .rotate(degrees: -90)]
            ),
            (
                ["--rotate=90", "--jobs=1", "--crop=-2,0,20,30", "--flip=horizontal", "--in-order"],
                [.rotate(degrees: 90), .crop(x: -2, y: 0, width: 20, height: 30), .flip(.horizontal)]
            ),
            (
                ["--shadow", "0,1,2", "--reflect", "0.5,4", "--in-order", "--circle", "--grayscale"],
                [.shadow(y: 1, blur: 2), .reflection(scale: 0.5, gap: 4), .circle, .grayscale]
            ),
            (
                ["--grayscale", "--in-order", "--tint", "#f00,multiply", "--grayscale"],
                [.grayscale, .tint(RGBA8(255, 0, 0), blendMode: .multiply), .grayscale]
            ),
        ] as [([String], EffectChain)])
    func keepsToTheOrderGivenOnRequest(_ arguments: [String], _ chain: EffectChain) throws {
        let outcome = try Command.run(["effect", "photo.png", "out.png"] + arguments, in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try pixels("out.png") == expected(chain))
    }

    @Test("Lengths are in points on request")
    func countsLengthsInPointsOnRequest() throws {
        let outcome = try Command.run(
            "effect", "photo.png", "out.png", "--scale-factor", "2", "--fit", "20x20", "--radius", "3", in: folder)
        #expect(outcome.status == 0)
        #expect(try pixels("out.png") == expected([.scaleToFit(width: 40, height: 40), .cornerRadius(6)]))
    }

    @Test("Filter and linear light are options")
    func takesFilterAndLinearLight() throws {
        let outcome = try Command.run(
            "effect", "photo.png", "out.png", "--fit", "31x31", "--filter", "bicubic", "--linear-light", in: folder)
        #expect(outcome.status == 0)
        #expect(
            try pixels("out.png")
                == expected(
                    [.scaleToFit(width: 31, height: 31)], options: EffectOptions(filter: .bicubic, linearLight: true)))
    }

    @Test("16 bits are used on request")
    func worksInSixteenBitsOnRequest() throws {
        for (name, arguments, bits) in [("a.png", ["--16-bit"], 16), ("b.png", [], 8)] {
            let outcome = try Command.run(
                ["effect", "photo.png", name, "--brightness", "0.3"] + arguments, in: folder)
            #expect(outcome.status == 0)
            #expect(try ImageSource.header(of: folder.read(name)).bitsPerChannel == bits)
        }
    }

    @Test("A large image is decoded no larger than needed")
    func decodesALargePictureNoLargerThanNeeded() throws {
        try folder.write(
            Pictures.photograph(PixelSize(width: 1600, height: 1200)).file(.jpeg, EncodingOptions(quality: 0.95)),
            to: "large.jpg")
        let outcome = try Command.run("effect", "large.jpg", "out.png", "--fit", "200x150", in: folder)
        #expect(outcome.status == 0)
        // The same by decoding in full, as a test of the eye would compare them.
        let full = try ImageSource.decode(folder.read("large.jpg")).bitmap
        let wanted = try full.resampled(to: PixelSize(width: 200, height: 150)).converted(to: .rgba8, alpha: .straight)
        let found = try pixels("out.png")
        let difference = zip(wanted.tightBytes(), found).map { abs(Int($0) - Int($1)) }
        #expect(found.count == 200 * 150 * 4)
        #expect(difference.reduce(0, +) / difference.count <= 2)
    }

    @Test("An image is made upright first")
    func turnsAPictureUprightFirst() throws {
        let metadata = ImageMetadata(orientation: .right)
        try folder.write(photograph.file(.jpeg, EncodingOptions(metadata: metadata)), to: "turned.jpg")
        let outcome = try Command.run("effect", "turned.jpg", "out.png", "--crop", "0,0,10,60", in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try ImageSource.header(of: folder.read("out.png")).size == PixelSize(width: 10, height: 60))
    }

    @Test("Every format is written", arguments: ["jpg", "jpng", "webp", "gif", "tif", "bmp"])
    func writesEveryFormat(_ name: String) throws {
        let outcome = try Command.run("effect", "cutout.png", "out.\(name)", "--fit", "24x24", "--circle", in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try ImageSource.header(of: folder.read("out.\(name)")).size == PixelSize(width: 16, height: 16))
    }

    @Test("A drawing is drawn at the size that is needed")
    func drawsADrawingAtTheSizeThatIsNeeded() throws {
        let drawing =
            #"<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"><path d="M0 0H5V10H0z"/></svg>"#
        try folder.write(Array(drawing.utf8), to: "half.svg")
        #expect(try Command.run("effect", "half.svg", "out.png", "--fit", "100x100", in: folder).status == 0)
        let picture = try ImageSource.decode(folder.read("out.png")).bitmap.converted(to: .rgba8, alpha: .straight)
        #expect(picture.size == PixelSize(width: 100, height: 100))
        // Enlarged pixels would be soft at the edge in the middle.
        #expect(picture.rows.row(50, as: RGBA8.self)[49].alpha == 255)
        #expect(picture.rows.row(50, as: RGBA8.self)[50].alpha == 0)
    }

    @Test("Metadata is kept on request")
    func keepsMetadataOnRequest() throws {
        let metadata = ImageMetadata(xmp: Array("<x:xmpmeta xmlns:x='adobe:ns:meta/'/>".utf8))
        try folder.write(photograph.file(.jpeg, EncodingOptions(metadata: metadata)), to: "about.jpg")
        for (name, arguments, keeps) in [("a.jpg", ["--keep", "all"], true), ("b.jpg", [], false)] {
            #expect(try Command.run(["effect", "about.jpg", name, "--grayscale"] + arguments, in: folder).status == 0)
            #expect(try (ImageSource.header(of: folder.read(name)).metadata.xmp != nil) == keeps)
        }
    }
}
