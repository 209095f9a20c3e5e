using System.Reflection;

namespace Ioxide.Simulation;

/// <summary>A short sequence of what a script may do on a stage; its name is that of its method.</summary>
internal sealed record Script(string Name, Action<Stage> Run)
{
    private static readonly Type[] s_homes =
    [
        typeof(QueueScripts), typeof(ReceiveScripts), typeof(ExhaustionScripts), typeof(EndScripts),
        typeof(OverflowScripts), typeof(CancelScripts), typeof(CloseScripts), typeof(SendScripts),
        typeof(AcceptScripts), typeof(PollScripts), typeof(ConnectScripts),
    ];

    internal static IReadOnlyList<Script> All { get; } = [.. s_homes.SelectMany(Of)];

    internal static Script Named(string name) => All.Single(script => script.Name == name);

    private static IEnumerable<Script> Of(Type home)
        => home.GetMethods(BindingFlags.Static | BindingFlags.NonPublic | BindingFlags.DeclaredOnly)
            .Where(static method => method.IsAssembly)
            .Select(method => new Script($"{home.Name}.{method.Name}", method.CreateDelegate<Action<Stage>>()));
}
