using System.Globalization;
using System.Runtime.InteropServices;
using System.Text.Json;

namespace Ioxide.BlockedHost;

/// <summary>The rules of a container's seccomp profile, such as <c>deploy/seccomp.json</c>, as this machine's kernel takes them.</summary>
/// <remarks>Source: the OCI runtime specification, "Seccomp". Rules that depend on capabilities, kernels or architectures are not read.</remarks>
internal static class ContainerProfile
{
    private const string Header = "/usr/include/asm-generic/unistd.h";
    private const string HeaderOfX64 = "/usr/include/x86_64-linux-gnu/asm/unistd_64.h";

    /// <summary>Where the numbers of calls are defined (linux-libc-dev).</summary>
    private static string HeaderPath => RuntimeInformation.ProcessArchitecture == Architecture.Arm64 ? Header : HeaderOfX64;

    /// <param name="path">The profile.</param>
    /// <param name="without">Calls that it allows and that are refused all the same.</param>
    /// <param name="with">Calls that are allowed in addition.</param>
    internal static (IReadOnlyList<CallRule> Rules, uint Otherwise) Read(string path, string[] without, string[] with)
    {
        Dictionary<string, uint> numbers = ReadNumbers();
        using JsonDocument profile = JsonDocument.Parse(File.ReadAllText(path));
        var rules = new List<CallRule>();
        foreach (JsonElement group in profile.RootElement.GetProperty("syscalls").EnumerateArray())
        {
            uint errno = group.GetProperty("action").GetString() switch
            {
                "SCMP_ACT_ALLOW" => 0,
                "SCMP_ACT_ERRNO" => group.GetProperty("errnoRet").GetUInt32(),
                var action => throw new NotSupportedException($"{path} has the action {action}."),
            };
            CallCondition? condition = group.TryGetProperty("args", out JsonElement args) ? Condition(args.EnumerateArray().Single()) : null;
            rules.AddRange(group.GetProperty("names").EnumerateArray()
                .Select(static name => name.GetString()!)
                .Where(name => !without.Contains(name) && numbers.ContainsKey(name))
                .Select(name => new CallRule(numbers[name], condition, errno)));
        }

        rules.AddRange(with.Select(name => new CallRule(numbers[name], Condition: null, Errno: 0)));
        return (rules, profile.RootElement.GetProperty("defaultErrnoRet").GetUInt32());
    }

    private static CallCondition Condition(JsonElement argument)
    {
        uint value = argument.GetProperty("value").GetUInt32();
        return argument.GetProperty("op").GetString() switch
        {
            "SCMP_CMP_LT" => new CallCondition(argument.GetProperty("index").GetInt32(), uint.MaxValue, value, IsBelow: true),
            "SCMP_CMP_MASKED_EQ" => new CallCondition(argument.GetProperty("index").GetInt32(), value, 0, IsBelow: false),
            var operation => throw new NotSupportedException($"The profile compares by {operation}."),
        };
    }

    private static Dictionary<string, uint> ReadNumbers()
    {
        var numbers = new Dictionary<string, uint>();
        foreach (string line in File.ReadLines(HeaderPath))
        {
            string[] words = line.Split(' ', StringSplitOptions.RemoveEmptyEntries);
            if (words is ["#define", { } name, { } value]
                && name.StartsWith("__NR_", StringComparison.Ordinal)
                && uint.TryParse(value, NumberStyles.None, CultureInfo.InvariantCulture, out uint number))
            {
                numbers[name["__NR_".Length..]] = number;
            }
        }

        return numbers;
    }
}

/// <summary>What becomes of a call.</summary>
/// <param name="Number">Of this machine's architecture.</param>
/// <param name="Condition">When the rule holds; null for always.</param>
/// <param name="Errno">0 allows it.</param>
internal sealed record CallRule(uint Number, CallCondition? Condition, uint Errno);

/// <summary>The low half of an argument, masked, equals a value or lies below it.</summary>
internal sealed record CallCondition(int Index, uint Mask, uint Value, bool IsBelow);
