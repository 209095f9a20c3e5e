using Microsoft.Diagnostics.Tracing;
using Microsoft.Diagnostics.Tracing.Parsers;
using Microsoft.Diagnostics.Tracing.Parsers.Clr;

namespace Ioxide.Compare.Jit;

/// <summary>What the runtime of a process wrote down about its compilations. Its environment asks for that; nothing else runs in the process.</summary>
/// <param name="Started">When the trace begins, soon after the process.</param>
/// <param name="Methods">In the order in which their code was there.</param>
internal sealed record JitTrace(DateTime Started, IReadOnlyList<JitMethod> Methods)
{
    /// <summary>
    /// What the JIT does (0x10), the names of modules (0x8), the generic arguments of methods (0x40_0000_0000), types (0x8_0000) and their names
    /// (0x100_0000); 5 is verbose.
    /// </summary>
    private const string Provider = "Microsoft-Windows-DotNETRuntime:0x4001080018:5";

    /// <summary>Makes a process of .NET write its trace into a file, until it ends in order.</summary>
    internal static IReadOnlyDictionary<string, string> EnvironmentFor(string path) => new Dictionary<string, string>
    {
        ["DOTNET_EnableEventPipe"] = "1",
        ["DOTNET_EventPipeConfig"] = Provider,
        ["DOTNET_EventPipeOutputPath"] = path,
        ["DOTNET_EventPipeRundown"] = "0",
    };

    /// <exception cref="RefusedException">There is no trace, or it tells of no compilation.</exception>
    internal static JitTrace Read(string path)
    {
        if (!File.Exists(path))
        {
            throw new RefusedException($"There is no {path}: the program is not .NET, or compiled by NativeAOT; --jit takes sides that have a JIT.");
        }

        var methods = new List<JitMethod>();
        var types = new JitTypes();
        var begun = new Dictionary<long, (double AtMs, int IlBytes)>();
        var details = new Dictionary<long, (string Arguments, bool IsOurs)>();
        using var source = new EventPipeEventSource(path);
        source.Clr.LoaderModuleLoad += types.Add;
        source.Clr.TypeBulkType += types.Add;
        source.Clr.MethodMethodDetails += method => details[method.MethodID] = Details(method, types);
        source.Clr.MethodJittingStarted += start => begun[start.MethodID] = (start.TimeStampRelativeMSec, start.MethodILSize);
        source.Clr.MethodLoadVerbose += load =>
        {
            if (load.IsJitted)
            {
                begun.TryGetValue(load.MethodID, out (double AtMs, int IlBytes) begin);
                methods.Add(Method(load, types, details.GetValueOrDefault(load.MethodID, ("", false)), begin.AtMs, begin.IlBytes));
            }
        };
        source.Process();
        return methods.Count > 0
            ? new JitTrace(source.SessionStartTime.ToUniversalTime(), methods)
            : throw new RefusedException($"{path} tells of no compilation: the server did not end in order, or its runtime writes other events.");
    }

    private static (string Arguments, bool IsOurs) Details(MethodDetailsTraceData method, JitTypes types)
    {
        long[] arguments = new long[method.TypeParameterCount];
        for (int i = 0; i < arguments.Length; i++)
        {
            arguments[i] = method.TypeParameters(i);
        }

        string text = arguments.Length == 0 ? "" : $"<{string.Join(", ", arguments.Select(types.Name))}>";
        return (text, types.IsOurs(method.TypeID) || arguments.Any(types.IsOurs));
    }

    private static JitMethod Method(
        MethodLoadUnloadVerboseTraceData load, JitTypes types, (string Arguments, bool IsOurs) details, double begunMs, int ilBytes)
    {
        string assembly = load.IsDynamic ? JitMethod.Dynamic : types.Assembly(load.ModuleID);
        return new JitMethod(
            assembly,
            $"{load.MethodNamespace}::{load.MethodName}{details.Arguments}",
            load.OptimizationTier.ToString(),
            ilBytes,
            load.TimeStampRelativeMSec - begunMs,
            load.TimeStampRelativeMSec,
            details.IsOurs || JitTypes.IsOurs(assembly));
    }
}
