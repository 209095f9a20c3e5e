using Microsoft.Diagnostics.Tracing.Parsers.Clr;

namespace Ioxide.Compare.Jit;

/// <summary>The modules and types that a trace has named so far.</summary>
internal sealed class JitTypes
{
    /// <summary>Bounds what is followed in a trace that says nonsense.</summary>
    private const int MaxDepth = 8;

    private static readonly HashSet<string> s_packages =
        ["Ioxide", "Ioxide.AspNetCore", "Ioxide.Files", "Ioxide.Http2", "Ioxide.Pg", "Ioxide.Tls"];

    private readonly Dictionary<long, string> _modules = [];
    private readonly Dictionary<long, JitType> _types = [];

    internal void Add(ModuleLoadUnloadTraceData module) => _modules[module.ModuleID] = Path.GetFileNameWithoutExtension(module.ModuleILPath);

    internal void Add(GCBulkTypeTraceData types)
    {
        for (int i = 0; i < types.Count; i++)
        {
            GCBulkTypeValues type = types.Values(i);
            long[] arguments = new long[type.TypeParameterCount];
            for (int j = 0; j < arguments.Length; j++)
            {
                arguments[j] = (long)type.TypeParameterID(j);
            }

            _types[(long)type.TypeID] = new JitType(type.TypeName, (long)type.ModuleID, arguments);
        }
    }

    /// <summary>The assembly of a module.</summary>
    internal string Assembly(long module) => _modules.GetValueOrDefault(module, "?");

    /// <summary>A type for a list of arguments. One inside another has no namespace in the trace: its assembly says where to look.</summary>
    internal string Name(long type)
        => !_types.TryGetValue(type, out JitType found) ? "?"
            : found.Name.Contains('.', StringComparison.Ordinal) ? found.Name
            : $"[{Assembly(found.Module)}]{found.Name}";

    internal static bool IsOurs(string assembly) => s_packages.Contains(assembly);

    /// <summary>Whether a type is one of the packages or has one among its arguments.</summary>
    internal bool IsOurs(long type) => IsOurs(type, MaxDepth);

    private bool IsOurs(long type, int depth)
        => depth > 0 && _types.TryGetValue(type, out JitType found)
            && (IsOurs(Assembly(found.Module)) || Array.Exists(found.Arguments, argument => IsOurs(argument, depth - 1)));

    private readonly record struct JitType(string Name, long Module, long[] Arguments);
}
