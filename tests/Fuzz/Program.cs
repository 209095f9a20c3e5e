using System.Diagnostics;
using System.Globalization;
using Ioxide.Fuzz;
using SharpFuzz;

const int MostShown = 3;

// eng/fuzz.sh starts it: `seeds` writes what AFL++ begins with, `instrument` makes coverage visible in a copy of the build, `run` is what AFL++
// executes. `replay` is what continuous integration runs: each kept input, and some mutated ones, without AFL++.
return args switch
{
    ["list"] => List(),
    ["seeds", var folder] => WriteSeeds(folder),
    ["instrument", var folder] => Instrument(folder),
    ["run", var name] => Run(name),
    ["replay", var folder, var mutated] when int.TryParse(mutated, NumberStyles.None, CultureInfo.InvariantCulture, out int count) => Replay(folder, count),
    _ => Usage(),
};

static int Usage()
{
    Console.Error.WriteLine("usage: Ioxide.Fuzz list | seeds FOLDER | instrument FOLDER | run TARGET | replay FOLDER MUTATED-INPUTS-PER-TARGET");
    return 2;
}

static int List()
{
    foreach (FuzzTarget target in FuzzTarget.All)
    {
        Console.WriteLine(target.Name);
    }

    return 0;
}

static int WriteSeeds(string folder)
{
    foreach (FuzzTarget target in FuzzTarget.All)
    {
        string place = Directory.CreateDirectory(Path.Combine(folder, target.Name)).FullName;
        int number = 0;
        foreach (byte[] seed in target.Seeds())
        {
            File.WriteAllBytes(Path.Combine(place, $"seed-{number++}"), seed);
        }
    }

    return 0;
}

static int Instrument(string folder)
{
    foreach (string file in Directory.EnumerateFiles(folder, "Ioxide*.dll").Where(static file => Path.GetFileName(file) != "Ioxide.Fuzz.dll"))
    {
        int types = Fuzzer.Instrument(file, static _ => true, Options.Value).Count();
        Console.WriteLine($"{Path.GetFileName(file)}: {types} types");
    }

    return 0;
}

static int Run(string name)
{
    FuzzTarget target = FuzzTarget.All.Single(target => target.Name == name);
    Fuzzer.OutOfProcess.Run(stream =>
    {
        using var input = new MemoryStream();
        stream.CopyTo(input);
        target.Read(input.GetBuffer().AsSpan(0, (int)input.Length));
    });
    return 0;
}

// One seed: a failure comes again.
static int Replay(string folder, int mutated)
{
    string[] unknown = [.. Directory.EnumerateDirectories(folder).Select(Path.GetFileName).Except(FuzzTarget.All.Select(static target => target.Name)).OfType<string>()];
    if (unknown.Length > 0)
    {
        Console.Error.WriteLine($"{folder}: no target is named {string.Join(", ", unknown)}");
        return 2;
    }

    int findings = 0;
    foreach (FuzzTarget target in FuzzTarget.All)
    {
        long start = Stopwatch.GetTimestamp();
        string kept = Path.Combine(folder, target.Name);
        byte[][] known =
        [
            .. target.Seeds(),
            .. Directory.Exists(kept) ? Directory.EnumerateFiles(kept).Order(StringComparer.Ordinal).Select(File.ReadAllBytes) : [],
        ];
        var mutation = new InputMutation(seed: 1, known);
        int inputs = 0, broken = 0;
        foreach (byte[] input in known.Concat(Enumerable.Range(0, mutated).Select(_ => mutation.Next())))
        {
            inputs++;
            try
            {
                target.Read(input);
            }
            catch (Exception) when (++broken > MostShown)
            {
                // Counted.
            }
            catch (Exception exception)
            {
                Console.WriteLine($"{target.Name}, input {inputs}, {Convert.ToHexString(input)}: {exception}");
            }
        }

        findings += broken;
        Console.WriteLine($"{target.Name}: {inputs} inputs, {broken} findings, {Stopwatch.GetElapsedTime(start).TotalSeconds:0.0} s");
    }

    return findings == 0 ? 0 : 1;
}
