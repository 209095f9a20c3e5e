using System.Globalization;

namespace Ioxide.Compare.Jit;

/// <summary>Prints what the JIT made for one side: totals, assemblies, then every method, those of the packages first.</summary>
internal static class JitReport
{
    private const int NameWidth = 44;

    /// <param name="writer">Takes the lines.</param>
    /// <param name="side">The side's name.</param>
    /// <param name="methods">In any order.</param>
    /// <param name="replyMs">When the first reply was there, on the methods' clock.</param>
    /// <param name="seconds">How long after it they were watched.</param>
    internal static void Print(TextWriter writer, string side, IReadOnlyCollection<JitMethod> methods, double replyMs, int seconds)
    {
        double endMs = replyMs + (seconds * 1000);
        List<JitMethod> seen = [.. methods.Where(method => method.AtMs <= endMs)];
        List<JitMethod> first = [.. seen.Where(static method => !method.IsAgain)];
        writer.WriteLine($"{side}: what the JIT compiled");
        writer.WriteLine($"  {"",-NameWidth}{"methods",10}{"ms",10}{"Ioxide's",10}{"ms",10}");
        WriteTotal(writer, "until the first reply", first.Where(method => method.AtMs <= replyMs));
        WriteTotal(writer, string.Create(CultureInfo.InvariantCulture, $"in {seconds} s after it"), first.Where(method => method.AtMs > replyMs));
        WriteTotal(writer, "together", first);
        WriteTotal(writer, "once more, optimized", seen.Where(static method => method.IsAgain));
        writer.WriteLine();
        foreach (IGrouping<string, JitMethod> assembly in first.GroupBy(static method => method.Assembly)
            .OrderByDescending(static group => JitTypes.IsOurs(group.Key)).ThenByDescending(static group => group.Count())
            .ThenBy(static group => group.Key, StringComparer.Ordinal))
        {
            WriteTotal(writer, assembly.Key, assembly);
        }

        WriteMethods(writer, "Ioxide's own, and generic code of others over its types", first.Where(static method => method.IsOurs), replyMs);
        WriteMethods(writer, "all others", first.Where(static method => !method.IsOurs), replyMs);
    }

    private static void WriteTotal(TextWriter writer, string title, IEnumerable<JitMethod> methods)
    {
        List<JitMethod> all = [.. methods];
        List<JitMethod> ours = [.. all.Where(static method => method.IsOurs)];
        writer.WriteLine(string.Create(
            CultureInfo.InvariantCulture,
            $"  {title,-NameWidth}{all.Count,10:N0}{TotalMs(all),10:N1}{ours.Count,10:N0}{TotalMs(ours),10:N1}"));
    }

    private static double TotalMs(List<JitMethod> methods) => methods.Sum(static method => method.CompileMs);

    private static void WriteMethods(TextWriter writer, string title, IEnumerable<JitMethod> methods, double replyMs)
    {
        writer.WriteLine();
        writer.WriteLine($"{title}: tier, bytes of IL, ms, ms from the first reply, method");
        string assembly = "";
        foreach (JitMethod method in methods.OrderByDescending(static method => JitTypes.IsOurs(method.Assembly))
            .ThenBy(static method => method.Assembly, StringComparer.Ordinal).ThenBy(static method => method.AtMs))
        {
            if (method.Assembly != assembly)
            {
                assembly = method.Assembly;
                writer.WriteLine($"  {assembly}");
            }

            writer.WriteLine(string.Create(
                CultureInfo.InvariantCulture,
                $"    {method.Tier,-12}{method.IlBytes,6}{method.CompileMs,8:N2}{method.AtMs - replyMs,8:N0}  {method.Name}"));
        }
    }
}
