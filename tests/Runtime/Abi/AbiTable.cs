using System.Globalization;

namespace Ioxide.Tests;

/// <summary>What <c>eng/abi.sh</c> printed from the kernel's headers, name by name.</summary>
internal sealed class AbiTable
{
    // What the headers of Linux 6.1 do not have yet (include/uapi/linux/io_uring.h of Linux 6.18) or eng/abi.sh does not print.
    private const string NotInTheTable = """
        IORING_SETUP_NO_SQARRAY 65536
        IORING_FEAT_MIN_TIMEOUT 32768
        IORING_FEAT_NO_IOWAIT 131072
        IORING_ENTER_NO_IOWAIT 128
        IORING_REGISTER_NAPI 27
        TCP_INFO 11
        MADV_COLLAPSE 25
        sizeof(io_uring_napi) 16
        offsetof(io_uring_napi.busy_poll_to) 0
        sizeof(io_uring_napi.busy_poll_to) 4
        offsetof(io_uring_napi.prefer_busy_poll) 4
        sizeof(io_uring_napi.prefer_busy_poll) 1
        """;

    private readonly Dictionary<string, long> _values = [];

    private AbiTable(string[] lines)
    {
        FirstLine = lines[0];
        foreach (string line in lines.Where(line => line.Length > 0 && line[0] != '#'))
        {
            int space = line.LastIndexOf(' ');
            _values[line[..space]] = long.Parse(line[(space + 1)..], CultureInfo.InvariantCulture);
        }
    }

    internal string FirstLine { get; }

    internal int Count => _values.Count;

    /// <summary>The value of a name; a name that the table lacks fails.</summary>
    internal long this[string name] => _values.TryGetValue(name, out long value)
        ? value
        : throw new KeyNotFoundException($"abi.txt has no line for {name}. Add it to eng/abi.sh.");

    internal static AbiTable Read() => new(
        [.. File.ReadAllLines(Path.Combine(Repository.Root, "tests/Runtime/Abi/abi.txt")),
            .. NotInTheTable.Split('\n', StringSplitOptions.TrimEntries)]);
}
