// swift-tools-version: 6.2
import PackageDescription

// The fuzz targets, a package of their own: `Fuzz/run` builds it with libFuzzer and the address sanitizer.

// What the package above keeps within itself, readers of formats of its own among it, is seen by who says to belong to it.
// SwiftPM calls a package by its folder.
let folder = Context.packageDirectory.split(separator: "/").dropLast().last ?? ""
let packageName = String(folder.lowercased().map { $0.isLetter || $0.isNumber ? $0 : "_" })

let package = Package(
    name: "TesseraFuzz",
    dependencies: [
        .package(
            name: "Tessera", path: "..",
            traits: ["WebP", "TIFF", "HEIF", "AVIF", "JPEGXL", "JPEG2000", "OpenEXR", "SVG"])
    ],
    targets: [
        // zlib, as an independent word on what deflate data holds.
        .target(name: "CZlibOracle", linkerSettings: [.linkedLibrary("z")]),
        // libjpeg, as another on what a JPEG shows.
        .target(name: "CJPEGOracle", linkerSettings: [.linkedLibrary("jpeg")]),
        .executableTarget(
            name: "Fuzz",
            dependencies: [
                "CJPEGOracle", "CZlibOracle",
                .product(name: "JPNGContainer", package: "Tessera"),
                .product(name: "JPEGBitstream", package: "Tessera"),
                .product(name: "ImageFormats", package: "Tessera"),
                .product(name: "ImageEffects", package: "Tessera"),
                .product(name: "ImageIsolation", package: "Tessera"),
                .product(name: "ImageLoading", package: "Tessera"),
                .product(name: "ImagePyramid", package: "Tessera"),
                .product(name: "ImageServer", package: "Tessera"),
                .product(name: "Raster", package: "Tessera"),
                .product(name: "TesseraLibrary", package: "Tessera"),
            ],
            // Not to that of this package, which the compiler would be told instead.
            packageAccess: false,
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"),
                .enableExperimentalFeature("Lifetimes"),
                .treatAllWarnings(as: .error),
                .unsafeFlags(["-package-name", packageName]),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
