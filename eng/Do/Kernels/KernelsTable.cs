using System.Globalization;
using System.Text;

namespace Ioxide.Do.Kernels;

/// <summary>The tables of docs/kernel-versions.md that say what each kernel was seen to do, made from what <see cref="KernelsCommand"/> left.</summary>
internal static class KernelsTable
{
    private const string Document = "docs/kernel-versions.md";
    private const string Start = "<!-- eng/do kernels --table writes from here -->\n";
    private const string End = "<!-- to here -->";

    /// <summary>A word of the check's line about rings, the feature it stands for, and what takes its place.</summary>
    private static readonly (string Word, string Feature, string Substitute)[] s_features =
    [
        ("SubmitAll", "`IORING_SETUP_SUBMIT_ALL`", "epoll"),
        ("SingleIssuer", "`IORING_SETUP_SINGLE_ISSUER`", "epoll"),
        ("DeferTaskRun", "`IORING_SETUP_DEFER_TASKRUN`", "epoll"),
        ("restricted", "restrictions", "epoll, unless `RestrictOperations` is off"),
        ("registered", "registered ring descriptor", "the descriptor"),
        ("NoSubmissionArray", "`IORING_SETUP_NO_SQARRAY`", "an index array"),
        ("minimum wait", "minimum wait", "a wait ends with one completion"),
        ("no I/O wait", "`IORING_ENTER_NO_IOWAIT`", "waiting counts as I/O wait"),
    ];

    internal static void Write()
    {
        KernelRuns[] kernels =
        [
            .. Directory.EnumerateDirectories(KernelsCommand.Folder)
                .Where(static folder => File.Exists(Path.Combine(folder, KernelsCommand.CheckFile)))
                .Select(KernelRuns.Read)
                .OrderBy(static kernel => kernel.Version),
        ];
        string text = File.ReadAllText(Document);
        int start = text.IndexOf(Start, StringComparison.Ordinal) + Start.Length, end = text.IndexOf(End, StringComparison.Ordinal);
        if (start < Start.Length || end < start)
        {
            throw new UsageException($"eng/do kernels: {Document} has no place for the table.");
        }

        File.WriteAllText(Document, text[..start] + Render(kernels) + text[end..]);
    }

    private static string Render(KernelRuns[] kernels)
    {
        var text = new StringBuilder();
        Row(text, "feature", kernels.Select(static kernel => kernel.Release));
        Row(text, "---", kernels.Select(static _ => "---"));
        foreach ((string word, string feature, string substitute) in s_features)
        {
            Row(text, feature, kernels.Select(kernel => kernel.Uses(word) ? "used" : $"no: {substitute}"));
        }

        foreach (string line in new[] { "listeners", "large files" })
        {
            Row(text, line, kernels.Select(kernel => kernel.Check(line)));
        }

        text.Append("\nTests that passed, failed and skipped themselves there:\n\n");
        Row(text, "tests", kernels.Select(static kernel => kernel.Release));
        Row(text, "---", kernels.Select(static _ => "---"));
        foreach (string part in KernelUnit.All.Select(static unit => unit.Part).Distinct())
        {
            Row(text, part, kernels.Select(kernel => kernel.Sum(part)));
        }

        Row(text, "last run, commit", kernels.Select(static kernel => kernel.When));
        return text.ToString();
    }

    private static void Row(StringBuilder text, string name, IEnumerable<string> cells) => text.Append($"| {name} | {string.Join(" | ", cells)} |\n");

    /// <summary>What the runs on one kernel left; the release ends in its processor.</summary>
    private sealed record KernelRuns(string Release, string[] CheckLines, Dictionary<string, KernelResult> Results)
    {
        private bool IsArm => Release.EndsWith("arm64", StringComparison.Ordinal);

        internal Version Version => Version.Parse(Release[..Release.IndexOfAny(['-', '+'])]);

        internal string When => Results.Values.MaxBy(static result => result.Day) is { } last
            ? string.Create(CultureInfo.InvariantCulture, $"{last.Day:yyyy-MM-dd}, {last.Commit}") : "";

        internal static KernelRuns Read(string folder)
        {
            string[] lines = File.ReadAllLines(Path.Combine(folder, KernelsCommand.CheckFile));
            return new(lines[0][KernelsCommand.Release.Length..], lines, KernelResult.ReadAll(Path.Combine(folder, KernelsCommand.ResultFile)));
        }

        /// <summary>The first sentence names the modes; what a limit costs may follow.</summary>
        internal bool Uses(string word) => Check("io_uring").Split(". ")[0].Split(", ").Contains(word);

        /// <summary>What the check says of something, without its state.</summary>
        internal string Check(string name)
            => CheckLines.Select(static line => line.Split("  ", StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries))
                .FirstOrDefault(parts => parts is [_, var about, ..] && about == name)?[2] ?? "";

        internal string Sum(string part)
        {
            KernelUnit[] units = [.. KernelUnit.All.Where(unit => unit.Part == part && (!IsArm || unit.IsPortable))];
            KernelResult[] known = [.. units.Select(unit => Results.GetValueOrDefault(unit.Name)).OfType<KernelResult>().Where(result => result.Release == Release)];
            string counts = $"{known.Sum(static result => result.Passed)}, {known.Sum(static result => result.Failed)}, {known.Sum(static result => result.Skipped)}";
            return known.Length == 0 ? "not run" : known.Length == units.Length ? counts : $"{counts} ({known.Length} of {units.Length} groups)";
        }
    }
}
