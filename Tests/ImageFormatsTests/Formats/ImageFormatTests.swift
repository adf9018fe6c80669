import ImageFormats
import Testing

@Suite("Formats and their names")
struct ImageFormatTests {
    /// Every format by the names it goes by: identifier, media types, extensions, the first of each being the one to use.
    ///
    /// Identifiers as Apple declares them (Uniform Type Identifiers, UTType) where it does, media types as registered with
    /// IANA, then those in use.
    private static let table: [(ImageFormat, String, [String], [String])] = [
        (.jpng, "org.tessera.jpng", ["image/x-jpng"], ["jpng"]),
        (.png, "public.png", ["image/png", "image/apng", "image/vnd.mozilla.apng"], ["png", "apng"]),
        (.jpeg, "public.jpeg", ["image/jpeg", "image/jpg"], ["jpg", "jpeg", "jpe", "jfif"]),
        (.gif, "com.compuserve.gif", ["image/gif"], ["gif"]),
        (.bmp, "com.microsoft.bmp", ["image/bmp", "image/x-bmp", "image/x-ms-bmp"], ["bmp", "dib"]),
        (.ico, "com.microsoft.ico", ["image/vnd.microsoft.icon", "image/x-icon"], ["ico"]),
        (.cur, "com.microsoft.cur", ["image/x-win-bitmap", "image/vnd.microsoft.cursor"], ["cur"]),
        (.xbm, "public.xbitmap-image", ["image/x-xbitmap", "image/x-xbm"], ["xbm"]),
        (.qoi, "org.qoiformat.qoi", ["image/qoi", "image/x-qoi"], ["qoi"]),
        (
            .pnm, "public.pbm",
            [
                "image/x-portable-anymap", "image/x-portable-pixmap", "image/x-portable-graymap",
                "image/x-portable-bitmap", "image/x-portable-arbitrarymap",
            ], ["pnm", "ppm", "pgm", "pbm", "pam"]
        ),
        (.webP, "org.webmproject.webp", ["image/webp"], ["webp"]),
        (
            .cameraRaw, "public.camera-raw-image",
            ["image/x-adobe-dng", "image/x-canon-cr2", "image/x-nikon-nef", "image/x-sony-arw"],
            ["dng", "cr2", "nef", "nrw", "arw"]
        ),
        (.tiff, "public.tiff", ["image/tiff"], ["tiff", "tif", "btf", "tf8"]),
        (.psd, "com.adobe.photoshop-image", ["image/vnd.adobe.photoshop", "image/x-psd"], ["psd", "psb"]),
        (.hdr, "public.radiance", ["image/vnd.radiance", "image/x-hdr"], ["hdr", "pic", "rgbe"]),
        (.exr, "com.ilm.openexr-image", ["image/x-exr", "image/aces"], ["exr"]),
        (.heic, "public.heic", ["image/heic", "image/heic-sequence"], ["heic", "heics"]),
        (.heif, "public.heif", ["image/heif", "image/heif-sequence"], ["heif", "hif", "heifs"]),
        (.avif, "public.avif", ["image/avif", "image/avif-sequence"], ["avif", "avifs"]),
        (.jpegXL, "public.jpeg-xl", ["image/jxl"], ["jxl"]),
        (.jpeg2000, "public.jpeg-2000", ["image/jp2", "image/jpx", "image/jph"], ["jp2", "jpx", "jpf", "jph"]),
        (
            .jpeg2000Codestream, "org.tessera.jpeg-2000-codestream", ["image/j2c", "image/x-jp2-codestream"],
            ["j2k", "j2c", "jpc", "jhc"]
        ),
        (.pdf, "com.adobe.pdf", ["application/pdf"], ["pdf"]),
        (.svg, "public.svg-image", ["image/svg+xml"], ["svg", "svgz"]),
        (
            .tga, "com.truevision.tga-image", ["image/x-tga", "image/x-targa", "image/targa"],
            ["tga", "icb", "vda", "vst"]
        ),
    ]

    @Test("Every format is found by each of its names")
    func everyFormatIsFoundByEachOfItsNames() {
        #expect(Self.table.map(\.0) == ImageFormat.all)
        for (format, identifier, mimeTypes, extensions) in Self.table {
            #expect(format.typeIdentifier == identifier)
            #expect(format.mimeType == mimeTypes[0] && format.mimeTypes == mimeTypes)
            #expect(format.filenameExtension == extensions[0] && format.filenameExtensions == extensions)
            #expect(ImageFormat(typeIdentifier: identifier) == format)
            for type in mimeTypes {
                #expect(ImageFormat(mimeType: type) == format)
                #expect(ImageFormat(mimeType: type.uppercased() + "; charset=binary") == format)
            }
            for name in extensions {
                #expect(ImageFormat(filenameExtension: name) == format)
                #expect(ImageFormat(filenameExtension: "." + name.uppercased()) == format)
            }
        }
    }

    @Test("No two formats share a name")
    func noTwoFormatsShareAName() {
        for names in [
            ImageFormat.all.map(\.typeIdentifier), ImageFormat.all.flatMap(\.mimeTypes),
            ImageFormat.all.flatMap(\.filenameExtensions), ImageFormat.all.map(\.name),
        ] {
            #expect(Set(names).count == names.count)
        }
    }

    @Test("Unknown names yield no format")
    func otherNamesAreNot() {
        for name in ["", ".", "..png", "pn", "pngs", "tar.gz", "png ", "p\u{0}ng"] {
            #expect(ImageFormat(filenameExtension: name) == nil)
        }
        for type in ["", ";", "image/", "image", "application/postscript", "image/png2", " image/png"] {
            #expect(ImageFormat(mimeType: type) == nil)
        }
        for identifier in ["", "public.image", "PUBLIC.PNG", "png"] {
            #expect(ImageFormat(typeIdentifier: identifier) == nil)
        }
    }

    @Test("A registry answers for the formats that it holds")
    func registriesAnswerForWhatTheyHold() {
        let registry = CodecRegistry.builtIn
        for format in ImageFormat.all {
            let isThere = registry.formats.contains(format)
            #expect((registry.codec(for: format) != nil) == isThere)
            #expect(registry.canDecode(format) == registry.capabilities(of: format).contains(.decode))
            #expect(registry.canEncode(format) == registry.capabilities(of: format).contains(.encode))
            #expect(registry.canDecode(format) == registry.decodableFormats.contains(format))
            #expect(registry.canEncode(format) == registry.encodableFormats.contains(format))
            #expect((registry.format(forTypeIdentifier: format.typeIdentifier) == format) == isThere)
            #expect((registry.format(forMIMEType: format.mimeType) == format) == isThere)
            #expect((registry.format(forFilenameExtension: format.filenameExtension) == format) == isThere)
        }
        // What every build has, and a codec that isn't there.
        #expect(
            registry.capabilities(of: .jpeg).isSuperset(of: [.decode, .encode, .incremental, .scaledDecoding, .lossy]))
        #expect(registry.capabilities(of: .png).isSuperset(of: [.decode, .encode, .incremental, .alpha, .lossless]))
        #expect(!registry.capabilities(of: .jpeg).contains(.alpha))
        #expect(!registry.capabilities(of: .png).contains(.lossy))
        #expect(CodecRegistry().capabilities(of: .png).isEmpty && !CodecRegistry().canDecode(.png))
    }

    @Test("Concurrent changes of a registry all apply")
    func updatesAtOnceAllCount() async {
        // In a process of its own, whose registry is nobody else's.
        await #expect(processExitsWith: .success) {
            let formats = (0..<64).map {
                ImageFormat(
                    typeIdentifier: "test.update\($0)", name: "\($0)", mimeTypes: ["test/\($0)"],
                    filenameExtensions: ["update\($0)"])
            }
            await withTaskGroup(of: Void.self) { group in
                for format in formats {
                    group.addTask {
                        CodecRegistry.updateDefault { registry in
                            registry.register(RowsCodec(format: format))
                            // A body may ask for the registry that it changes.
                            _ = CodecRegistry.default.formats
                        }
                    }
                }
            }
            precondition(Set(formats).isSubset(of: CodecRegistry.default.formats))
            CodecRegistry.default = .builtIn
            precondition(Set(formats).isDisjoint(with: CodecRegistry.default.formats))
        }
    }
}
