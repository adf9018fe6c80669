import Foundation
import Tessera
import TestSupport
import Testing

/// Recipes: effects in a file.
@Suite("tessera effect: recipes")
struct EffectRecipeTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.write(Pictures.photograph().file(.png), to: "photo.png")
        try FileManager.default.createDirectory(atPath: folder.file("recipes"), withIntermediateDirectories: false)
        try folder.write(Pictures.mask().file(.png), to: "recipes/mask.png")
    }

    private func write(_ recipe: String, to name: String = "recipe.json") throws {
        try folder.write(Array(recipe.utf8), to: name)
    }

    @Test("A recipe is applied")
    func doesWhatARecipeSays() throws {
        try write(
            """
            [
              {"scaleToFit": {"width": 40, "height": 40.0}},
              {"cornerRadius": {"radius": 6}},
              {"shadow": {"color": "#00000080", "y": 2, "blur": 3e0}}
            ]
            """)
        #expect(try Command.run("effect", "photo.png", "a.png", "--recipe", "recipe.json", in: folder).status == 0)
        let options = ["--fit", "40x40", "--radius", "6", "--shadow", "0,2,3,#00000080"]
        #expect(try Command.run(["effect", "photo.png", "b.png"] + options, in: folder).status == 0)
        #expect(try folder.read("a.png") == folder.read("b.png"))
    }

    @Test("Images of a recipe are found from its folder")
    func findsPicturesFromTheRecipesFolder() throws {
        try write(#"[{"mask": {"picture": "mask.png"}}]"#, to: "recipes/masked.json")
        let outcome = try Command.run("effect", "photo.png", "a.png", "--recipe", "recipes/masked.json", in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(
            try Command.run("effect", "photo.png", "b.png", "--mask", "recipes/mask.png", in: folder).status == 0)
        #expect(try folder.read("a.png") == folder.read("b.png"))
    }

    /// Options that print a recipe by which the same is done.
    @Test(
        "The recipe for options is printed",
        arguments: [
            ["--crop", "1,2,30,20,clamped", "--size", "40x40", "--content-mode", "topLeft", "--pad"],
            ["--fit", "40x40", "--smart-crop", "20x20,entropy", "--rotate", "7", "--flip", "vertical"],
            ["--grayscale", "--sepia", "0.5", "--tint", "#33669980,multiply", "--sharpen", "0.3", "--blur", "1.5"],
            ["--overlay", "recipes/mask.png,1,2,20x10,0.5,screen", "--mask", "recipes/mask.png", "--opacity", "0.75"],
            ["--radius", "1,2,3,4", "--border", "1,#fff", "--shadow", "1,2,3,#123456", "--reflect", "0.5,2,0.5"],
            [
                "--in-order", "--circle", "--mask-from-alpha", "--reflected", "0.5", "--flatten", "#abc", "--scale",
                "9x9",
            ],
        ])
    func printsTheRecipeForOptions(_ options: [String]) throws {
        let printed = try Command.run(["effect", "--print-recipe"] + options, in: folder)
        #expect(printed.status == 0 && printed.errors == "", "\(printed.errors)")
        try folder.write(printed.output, to: "recipe.json")
        let outcome = try Command.run("effect", "photo.png", "a.png", "--recipe", "recipe.json", in: folder)
        #expect(outcome.status == 0, "\(outcome.errors)\n\(printed.text)")
        #expect(try Command.run(["effect", "photo.png", "b.png"] + options, in: folder).status == 0)
        #expect(try folder.read("a.png") == folder.read("b.png"))
    }

    @Test(
        "Errors in a recipe are reported",
        arguments: [
            ("", "recipe.json: line 1: the text ends where a value should be"),
            ("[", "recipe.json: line 1: the text ends"),
            ("[{]", "recipe.json: line 1: a name in quotation marks is missing"),
            ("[\n\n1 2]", "recipe.json: line 3: a comma or ] is missing"),
            ("[] []", "nothing can follow"),
            ("[nul]", "\"nul\" is no value"), ("[1e999]", "is no value"), ("[.5]", "is no value"), ("[\"a]", "no end"),
            (#"["\u12"]"#, "four hexadecimal digits"), (#"["\ud800"]"#, "half of a surrogate pair"),
            (String(repeating: "[", count: 100_000), "nested too deeply"),
            ("{}", "an array should be here"),
            ("[3]", "recipe.json: [0]: an object should be here"),
            ("[{}]", "recipe.json: [0]: an effect is an object with one key"),
            (#"[{"spin": {"degrees": 3}}]"#, "there is no effect called \"spin\""),
            (#"[{"crop": {"x": 0, "y": 0, "width": 5}}]"#, "[0].crop: \"height\" is missing"),
            (
                #"[{"scale": {"width": 5, "height": 5}}, {"blur": {"radius": 3, "sigma": 4}}]"#,
                "[1].blur: there is no \"sigma\"; there is radius"
            ),
            (#"[{"blur": {"radius": "3"}}]"#, "[0].blur.radius: a number should be here"),
            (#"[{"blur": {"radius": 3, "radius": 4}}]"#, "\"radius\" is there twice"),
            (#"[{"flatten": {"color": "red"}}]"#, "invalid colour \"red\""),
            (
                #"[{"cropAndScale": {"width": 5, "height": 5, "contentMode": "middle"}}]"#,
                "[0].cropAndScale.contentMode: there is no \"middle\"; there is scaleToFill, aspectFit"
            ),
            (#"[{"mask": {"picture": "missing.png"}}]"#, "missing.png can't be read: No such file"),
            (#"[{"mask": {"picture": "recipe.json"}}]"#, "recipe.json: the bytes are not in any format"),
            (
                #"[{"crop": {"x": 0, "y": 0, "width": -5, "height": 5}}]"#,
                "photo.png: invalid size -5.0x5.0: width and height must be above 0"
            ),
        ])
    func saysWhatIsWrongWithARecipe(_ recipe: String, _ message: String) throws {
        try write(recipe)
        let outcome = try Command.run("effect", "photo.png", "a.png", "--recipe", "recipe.json", in: folder)
        #expect(outcome.status == 1)
        #expect(outcome.errors.hasPrefix("Error: ") && outcome.errors.contains(message), "\(outcome.errors)")
        #expect(!(try folder.names().contains("a.png")))
    }
}
