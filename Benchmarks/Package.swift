// swift-tools-version: 6.2
import PackageDescription

// What `Benchmarks/compare` measures in process. A package of its own: who uses Tessera never resolves it.

let package = Package(
    name: "TesseraBenchmarks",
    products: [
        .executable(name: "measure", targets: ["Measure"]),
        .executable(name: "library-alone", targets: ["LibraryAlone"]),
    ],
    dependencies: [
        .package(
            name: "Tessera", path: "..",
            traits: ["WebP", "TIFF", "HEIF", "AVIF", "JPEGXL", "JPEG2000", "OpenEXR", "SVG"])
    ],
    targets: [
        // MARK: Peers in C
        .target(name: "CPeerJPEG", linkerSettings: [.linkedLibrary("jpeg")]),
        // The libraries of other formats by themselves, in a program that answers as Measure does.
        .executableTarget(
            name: "LibraryAlone",
            linkerSettings: ["avif", "heif", "de265", "x265", "jxl", "jxl_threads", "webp"].map { .linkedLibrary($0) }),
        .target(name: "CMemory"),

        // MARK: The program
        .executableTarget(
            name: "Measure",
            dependencies: [
                "CMemory",
                "CPeerJPEG",
                .product(name: "Tessera", package: "Tessera"),
                .product(name: "Raster", package: "Tessera"),
                .product(name: "ImageFormats", package: "Tessera"),
                .product(name: "ImageEffects", package: "Tessera"),
                .product(name: "ImageIsolation", package: "Tessera"),
                .product(name: "ImageLoading", package: "Tessera"),
                .product(name: "ImagePyramid", package: "Tessera"),
                .product(name: "JPEGBitstream", package: "Tessera"),
            ],
            swiftSettings: [
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"),
                .enableExperimentalFeature("Lifetimes"),
                .treatAllWarnings(as: .error),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
