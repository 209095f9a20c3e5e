using Microsoft.CodeAnalysis;

namespace Ioxide.Analyzers;

/// <summary>The rules. docs/analyzers.md has a section per rule.</summary>
internal static class Rules
{
    internal static readonly DiagnosticDescriptor WaitsForTask = Make(
        "IOX0001", "A handler waits for a task", "{0} blocks the thread of the handler until the task has ended; await the task");

    internal static readonly DiagnosticDescriptor Sleeps = Make(
        "IOX0002", "A handler puts its thread to sleep", "{0} blocks the thread of the handler; await Task.Delay");

    internal static readonly DiagnosticDescriptor SynchronousBody = Make(
        "IOX0003", "A handler reads or writes a body synchronously",
        "{0} blocks the thread of the handler until the peer has sent or taken bytes; await {0}Async");

    private static DiagnosticDescriptor Make(string id, string title, string message) => new(
        id,
        title,
        message,
        "Ioxide",
        DiagnosticSeverity.Warning,
        isEnabledByDefault: true,
        description: "Handlers run on the reactor of their connection. While one blocks, the other connections of the reactor wait or are served by "
            + "the thread pool.");
}
