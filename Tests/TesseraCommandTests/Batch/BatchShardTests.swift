import Foundation
import ImageFormats
import Raster
import TestSupport
import Testing

/// Shards of `tessera batch`, and workers that are killed.
@Suite("tessera batch: shards")
struct BatchShardTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Writes images `0` to `count - 1`, all different, to the folder `in`.
    private func writeInputs(_ count: Int) throws {
        let image = try Pictures.flat().file(.bmp)
        for index in 0..<count {
            var image = image
            image[image.count - 2] = UInt8(index % 251)
            image[image.count - 6] = UInt8(index / 251)
            try folder.write(image, to: "in/\(index).bmp")
        }
    }

    private func inputs(_ options: [String], environment: [String: String] = [:]) throws -> [String] {
        let outcome = try Command.run(
            ["batch", "in", "--out", "out/{name}.png", "--dry-run"] + options, in: folder, environment: environment)
        #expect(outcome.status == 0, "\(outcome.errors)")
        return outcome.text.split(separator: "\n").map { String($0.prefix { $0 != " " }) }
    }

    @Test("Every input is in exactly one shard, and shards are of similar size", arguments: [1, 2, 3, 7, 16])
    func partition(_ count: Int) throws {
        try writeInputs(400)
        var all: [String] = []
        for index in 0..<count {
            let shard = try inputs(["--shard", "\(index)/\(count)"])
            // Six standard deviations of a fair distribution.
            let expected = 400 / Double(count)
            #expect(abs(Double(shard.count) - expected) <= 6 * expected.squareRoot(), "\(shard.count) of \(expected)")
            all += shard
        }
        #expect(all.count == 400 && Set(all).count == 400)
        #expect(Set(all) == Set((0..<400).map { "\($0).bmp" }))
    }

    @Test("An input's shard doesn't depend on the other inputs, nor on the order")
    func stable() throws {
        try writeInputs(60)
        let list = (0..<60).map { "in/\($0).bmp" }
        func shard(_ list: [String]) throws -> Set<String> {
            let outcome = try Command.run(
                ["batch", "-", "--out", "out/{stem}.png", "--dry-run", "--shard", "1/3"], in: folder,
                input: Array(list.joined(separator: "\n").utf8))
            return Set(outcome.text.split(separator: "\n").map { String($0.prefix { $0 != " " }) })
        }
        let whole = try shard(list)
        #expect(!whole.isEmpty && whole.count < 60)
        #expect(try shard(list.reversed()) == whole)
        #expect(try shard(Array(list.prefix(20))) == whole.intersection(list.prefix(20)))
    }

    @Test(
        "Schedulers' variables select the shard",
        arguments: [
            (["SLURM_ARRAY_TASK_ID": "2", "SLURM_ARRAY_TASK_COUNT": "5", "SLURM_ARRAY_TASK_MIN": "0"], [], "2/5"),
            (["SLURM_ARRAY_TASK_ID": "1", "SLURM_ARRAY_TASK_COUNT": "5", "SLURM_ARRAY_TASK_MIN": "1"], [], "0/5"),
            (
                [
                    "SLURM_ARRAY_TASK_ID": "14", "SLURM_ARRAY_TASK_COUNT": "4", "SLURM_ARRAY_TASK_MIN": "10",
                    "SLURM_ARRAY_TASK_MAX": "16", "SLURM_ARRAY_TASK_STEP": "2",
                ], [], "2/4"
            ),
            // A few tasks of a larger array are submitted again.
            (
                ["SLURM_ARRAY_TASK_ID": "3", "SLURM_ARRAY_TASK_COUNT": "2", "SLURM_ARRAY_TASK_MIN": "3"],
                ["--shards", "5"], "3/5"
            ),
            (["JOB_COMPLETION_INDEX": "3"], ["--shards", "5"], "3/5"),
            (["JOB_COMPLETION_INDEX": "3", "TESSERA_BATCH_SHARDS": "5"], [], "3/5"),
            (["JOB_COMPLETION_INDEX": "3"], ["--shard", "1/5"], "1/5"),
        ] as [([String: String], [String], String)])
    func environments(_ environment: [String: String], _ options: [String], _ shard: String) throws {
        try writeInputs(50)
        let selected = try inputs(options, environment: environment)
        #expect(try selected == inputs(["--shard", shard]) && !selected.isEmpty)
    }

    @Test(
        "Variables that determine no shard are refused",
        arguments: [
            (["SLURM_ARRAY_TASK_ID": "2"], "SLURM_ARRAY_TASK_COUNT"),
            (["SLURM_ARRAY_TASK_ID": "x", "SLURM_ARRAY_TASK_COUNT": "2"], "a number from 0"),
            (
                [
                    "SLURM_ARRAY_TASK_ID": "8", "SLURM_ARRAY_TASK_COUNT": "3", "SLURM_ARRAY_TASK_MIN": "3",
                    "SLURM_ARRAY_TASK_MAX": "8",
                ], "numbered evenly"
            ),
            (["JOB_COMPLETION_INDEX": "0"], "--shards COUNT"),
            (["JOB_COMPLETION_INDEX": "5", "TESSERA_BATCH_SHARDS": "5"], "there are 5 shards"),
        ] as [([String: String], String)])
    func invalidEnvironments(_ environment: [String: String], _ message: String) throws {
        try writeInputs(1)
        let outcome = try Command.run(
            ["batch", "in", "--out", "out/{stem}.png"], in: folder, environment: environment)
        #expect(outcome.status == 64 && outcome.errors.contains(message), "\(outcome.errors)")
        #expect(try folder.names() == ["in"])
    }

    @Test("Shards in any order, also at once, make what one run makes", arguments: BatchTests.markPlaces)
    func shards(_ marks: String) throws {
        try writeInputs(60)
        let whole = try Command.run("batch", "in", "--out", "whole/{stem}.png", in: folder)
        #expect(whole.status == 0)
        let outcome = try Command.run(
            [
                "-c",
                """
                for i in 3 0 2 1 3; do
                    "$0" batch in --out 'parts/{stem}.png' --shard $i/4 --marks \(marks) & pids="$pids $!"
                done
                for pid in $pids; do wait $pid || exit 1; done
                diff -r -x .tessera-batch whole parts
                """, Command.program,
            ], in: folder, program: "/bin/bash")
        #expect(outcome.status == 0, "\(outcome.text)\(outcome.errors)")
        #expect(try folder.names(in: "parts").filter { !$0.hasPrefix(".") }.count == 60)
        // Other shards find it all done, too.
        let again = try Command.run("batch", "in", "--out", "parts/{stem}.png", in: folder)
        #expect(again.errors == "0 written, 60 current, 0 failed\n")
    }

    @Test(
        "Killed at any moment and run again, the outputs are those of an undisturbed run",
        arguments: BatchTests.markPlaces)
    func killed(_ marks: String) throws {
        for name in ["a", "b", "c", "d", "e", "f", "g", "h"] {
            try folder.write(Pictures.photograph().file(.png), to: "in/\(name).png")
        }
        let options = "--recipe '{\"size\": \"50x\", \"quality\": 0.7}' --jobs 2 --quiet"
        let outcome = try Command.run(
            [
                "-c",
                """
                set -e
                "$0" batch in --out 'whole/{stem}.png' \(options)
                for delay in 0.001 0.004 0.008 0.012 0.016 0.02 0.025 0.03 0.04 0.05; do
                    rm -rf parts
                    "$0" batch in --out 'parts/{stem}.png' \(options) --marks \(marks) & pid=$!
                    sleep $delay
                    kill -9 $pid 2>/dev/null || true
                    wait $pid 2>/dev/null || true
                    # What is there is complete.
                    for file in parts/*.png; do [[ ! -e $file ]] || cmp "$file" "whole/${file##*/}"; done
                    "$0" batch in --out 'parts/{stem}.png' \(options) --marks \(marks)
                    diff -r -x .tessera-batch -x '.tessera-*.part' whole parts
                    [[ $("$0" batch in --out 'parts/{stem}.png' \(options) --marks \(marks) --dry-run) == "" ]]
                done
                """, Command.program,
            ], in: folder, program: "/bin/bash")
        #expect(outcome.status == 0, "\(outcome.text)\(outcome.errors)")
    }

    @Test("SIGTERM ends a run after the images in progress, and says so")
    func terminated() throws {
        let image = try Pictures.photograph(PixelSize(width: 400, height: 300)).file(.png)
        for index in 0..<60 { try folder.write(image, to: "in/\(index).png") }
        let outcome = try Command.run(
            [
                "-c",
                """
                "$0" batch in --out 'out/{stem}.webp' --recipe '{"lossless": true, "webp-method": 6}' --jobs 1 & pid=$!
                until [[ -n $(find out -name '*.webp' -print -quit 2>/dev/null) ]]; do :; done
                kill $pid
                wait $pid
                """, Command.program,
            ], in: folder, program: "/bin/bash")
        #expect(outcome.status == 1, "\(outcome.errors)")
        #expect(outcome.errors.contains("stopped before the end; run it again for the rest"), "\(outcome.errors)")
        // Marks may be in a folder of their own.
        let count = try folder.names(in: "out").filter { !$0.hasPrefix(".") }.count
        #expect(outcome.errors.contains("\(count) written, 0 current, 0 failed"))
        #expect(count < 60)
    }
}
