internal import ImageFormats
internal import Tessera

/// The inputs of a shard with their outputs, determined before anything is written.
struct BatchPlan: Sendable {
    /// An input and its output.
    struct Item: Sendable {
        /// The input's name in the list.
        let name: String
        /// The path to open.
        let path: String
        /// The version of an object that was listed; nil if it must be looked up.
        let version: String?
        /// The output's path beneath the root.
        let output: String
        /// Options for this input alone; nil for none.
        let options: [(String, JSONValue)]?
    }

    private(set) var items: [Item] = []
    /// The inputs of the shard that have no output.
    private(set) var failures: [InputFailure] = []
    /// The number of inputs of all shards.
    private(set) var inputCount = 0

    /// Names the outputs of all inputs, and keeps those of `shard`.
    /// - Throws: `CommandFailure` if two inputs, of whichever shards, have the same output, or an output is an input.
    init(
        _ inputs: BatchInputs, template: PathTemplate, recipes: BatchRecipes, shard: BatchShard
    ) throws {
        failures = inputs.failures.filter { _ in shard.index == 0 }
        var writers = OutputTable(minimumCapacity: inputs.knownCount)
        try inputs.forEach { index, input in
            inputCount += 1
            let isOwn = shard.contains(input.name)
            let output: String?
            let hash: NameHash
            do throws(ImageError) {
                // Other shards' paths are only compared, so they aren't made.
                if !isOwn, let known = try Self.hash(ofOutputOf: input, index, template, recipes) {
                    (output, hash) = (nil, known)
                } else {
                    let path = try Self.output(of: input, index, template, recipes)
                    (output, hash) = (path, NameHash(path))
                }
            } catch {
                if isOwn { failures.append(InputFailure(input: .file(input.path), error: error)) }
                return
            }
            if let other = writers.insert(hash, index) {
                let path = try output ?? Self.output(of: input, index, template, recipes)
                throw try Self.collision(inputs, other, input.name, FilePath(path, in: template.root).text)
            }
            if isOwn, let output {
                items.append(
                    Item(
                        name: input.name, path: input.path, version: input.version, output: output,
                        options: input.options))
            }
        }
    }

    /// Returns the error for two inputs with one output, of which the first is known by its index.
    private static func collision(
        _ inputs: BatchInputs, _ first: Int, _ second: String, _ output: String
    ) throws -> CommandFailure {
        var name = ""
        try inputs.forEach { index, input in if index == first { name = input.name } }
        return CommandFailure(
            "\(name) and \(second) would both become \(output); nothing was written. "
                + "Use a template with {folder} or {index}")
    }

    /// Returns the hash of an output's path; nil if the path must be made to know it.
    private static func hash(
        ofOutputOf input: BatchInput, _ index: Int, _ template: PathTemplate, _ recipes: BatchRecipes
    ) throws(ImageError) -> NameHash? {
        guard input.error == nil else { return nil }
        return template.hash(
            PathTemplate.Values(input: input.name, index: index, format: try recipes.format(input.options)))
    }

    private static func output(
        of input: BatchInput, _ index: Int, _ template: PathTemplate, _ recipes: BatchRecipes
    ) throws(ImageError) -> String {
        if let error = input.error { throw error }
        var values = PathTemplate.Values(
            input: input.name, index: index, format: try recipes.format(input.options))
        if template.needsSize {
            values.size = try recipes.recipe(input.options).settings.outputSize(of: .file(input.path), within: nil)
        }
        let output = try template.path(values)
        guard !output.isEmpty, output.utf8.last != UInt8(ascii: "/") else {
            throw ImageError(.invalidParameter, "the template gives its output no name")
        }
        return output
    }

    /// Checks that no output is an input: with `--force`, any file may be replaced.
    func checkInputs(_ inputs: BatchInputs, root: String) throws {
        var outputs: [FileSystem.Identity: String] = [:]
        for item in items {
            let path = FilePath(item.output, in: root).text
            if let file = FileSystem.identity(path) { outputs[file] = path }
        }
        guard !outputs.isEmpty else { return }
        try inputs.forEach { _, input in
            guard let file = FileSystem.identity(input.path), let output = outputs[file] else { return }
            throw CommandFailure("\(output) is an output and the input \(input.name); nothing was written")
        }
    }
}
