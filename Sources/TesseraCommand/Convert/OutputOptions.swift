internal import Tessera

/// The rules for the names of outputs, and for outputs that exist.
struct OutputOptions: Sendable {
    /// The folder for all outputs; nil if none was given.
    var folder: String?
    /// The formats of the outputs; empty to derive them from the names.
    var formats: [ImageFormat] = []
    /// The boxes in which an input's outputs must fit; empty for one output of the size that the settings give it.
    var sizes: [SizeArgument] = []
    /// The outputs' names; nil for the inputs' names with the format's extension.
    var template: NameTemplate?
    /// Whether each output replaces its input.
    var replacesInputs = false
    /// Whether folders stand for the images in their subfolders, too.
    var isRecursive = false
    /// Whether outputs have the formats and names of their inputs; there is no option for another format.
    var keepsFormat = false
    /// Whether a JPNG becomes a PNG if that is smaller.
    var choosesSmallest = false
    /// Which of a file's images are written.
    var selection = PictureSelection.all
    /// The treatment of outputs that exist.
    var existing = ExistingOutputs.refuse

    /// The format of all outputs if there is one for each input; nil to derive it from their names.
    var format: ImageFormat? { formats.first }
    /// Whether an input may have several outputs.
    var hasVariants: Bool { formats.count > 1 || !sizes.isEmpty }

    /// The option for outputs beside their inputs, for messages.
    var formatOption: String { keepsFormat ? "--in-place" : "--to FORMAT" }
}

/// The treatment of outputs that exist before anything is written.
enum ExistingOutputs: Hashable, Sendable {
    /// An error for inputs that were named. An input found in a folder is skipped unless it is newer than its output.
    case refuse
    /// Skips the input.
    case skip
    /// Skips the input unless it is newer than its output, which is replaced then.
    case update
    /// Replaces the output.
    case replace
}
