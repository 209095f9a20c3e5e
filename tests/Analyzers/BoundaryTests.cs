namespace Ioxide.Analyzers.Tests;

/// <summary>The packages' own code says who controls a thread where it awaits, and calls the application only where it is marked.</summary>
/// <remarks>Slow: the first test of a process compiles the references of ASP.NET Core, 10 s.</remarks>
public class BoundaryTests
{
    [Theory]
    [InlineData("internal static async Task Run(Task task) => await task;", "IOX9001 await task")]
    [InlineData("internal static async Task Run(ValueTask<int> task) => await task;", "IOX9001 await task")]
    [InlineData("internal static async Task Run(Task task) => await task.ConfigureAwait(true);")]
    [InlineData("internal static async Task Run(Task task) => await task.ConfigureAwait(false);")]
    [InlineData("internal static async Task Run() => await Task.Yield();")]
    [InlineData("[ApplicationSide] internal static async Task Run(Task task) => await task;")]
    [InlineData("internal static async Task Run(IAsyncDisposable work) { await using IAsyncDisposable same = work; }", "IOX9001 same = work")]
    [InlineData("internal static async Task Run(Stream work) { await using (work) { } }", "IOX9001 work")]
    [InlineData("internal static async Task Run(Stream work) { await using (Stream same = work) { } }", "IOX9001 same = work")]
    [InlineData("internal static async Task Run(Stream work) { await using (work.ConfigureAwait(false)) { } }")]
    [InlineData("internal static async Task Run(Stream work) { await using var same = work.ConfigureAwait(true); }")]
    [InlineData("internal static void Run(Stream work) { using (work) { } }")]
    [InlineData("[ApplicationSide] internal static async Task Run(Stream work) { await using (work) { } }")]
    [InlineData("internal static async Task Run(System.Collections.Generic.IAsyncEnumerable<int> all) { await foreach (int one in all) { } }", "IOX9001 all")]
    [InlineData("internal static async Task Run(System.Collections.Generic.IAsyncEnumerable<int> all) { await foreach (int one in all.ConfigureAwait(false)) { } }")]
    [InlineData("internal static void Run(int[] all) { foreach (int one in all) { } }")]
    public async Task AnAwaitSaysWhichThreadContinues(string member, params string[] expected)
        => Assert.Equal(expected, await Compiled.BreachesAsync(Package(member)));

    [Theory]
    [InlineData("public static async Task Run(Task task) => await task.ConfigureAwait(true);", "IOX9002 Run")]
    [InlineData("public static async Task Run(Task task) => await task.ConfigureAwait(false);")]
    [InlineData("public static async Task Run(Task task) { EnterRuntimeHere(); await task.ConfigureAwait(true); }")]
    [InlineData("public static async Task Run(Task task) { await task.ConfigureAwait(true); EnterRuntimeHere(); }", "IOX9002 Run")]
    [InlineData("public static async Task Run(Task task) { await task.ConfigureAwait(false); EnterRuntimeHere(); await task.ConfigureAwait(true); }")]
    [InlineData("public static async Task Run(Task task) { Action enter = () => EnterRuntimeHere(); await task.ConfigureAwait(true); }", "IOX9002 Run")]
    [InlineData("public static async Task Run(Task task) { Action enter = EnterRuntimeHere; await task.ConfigureAwait(true); }", "IOX9002 Run")]
    [InlineData("public static async Task Run(Task task) { if (task.IsCompleted) { EnterRuntimeHere(); } await task.ConfigureAwait(true); }", "IOX9002 Run")]
    [InlineData("public static async Task Run(Stream work) { await using (work.ConfigureAwait(true)) { } }", "IOX9002 Run")]
    [InlineData("public static async Task Run(Task task) => await task.ConfigureAwait(ConfigureAwaitOptions.ContinueOnCapturedContext);", "IOX9002 Run")]
    [InlineData("internal static async Task Run(Task task) => await task.ConfigureAwait(true);")]
    [InlineData("[ApplicationSide] public static async Task Run(Task task) => await task.ConfigureAwait(true);")]
    public async Task APublicMethodEntersTheRuntime(string member, params string[] expected)
        => Assert.Equal(expected, await Compiled.BreachesAsync(Package(member)));

    [Theory]
    [InlineData("public static void Run(Action work) => work();", "IOX9003 work()")]
    [InlineData("public static void Run(Action work) => work.Invoke();", "IOX9003 work.Invoke()")]
    [InlineData("public static void Run(Action? work) => work?.Invoke();", "IOX9003 .Invoke()")]
    [InlineData("public static void Run(Action work) => Task.Run(() => work());", "IOX9003 work()")]
    [InlineData("public static void Run(Action work) { Action same = work; same(); }", "IOX9003 same()")]
    [InlineData("public static void Run(Action? work) { if (work is { } same) { same(); } }", "IOX9003 same()")]
    [InlineData("public Action? Work { get; set; } internal void Run() => Work?.Invoke();", "IOX9003 .Invoke()")]
    [InlineData("public event Action? Worked; internal void Run() => Worked?.Invoke();", "IOX9003 .Invoke()")]
    [InlineData("internal static void Run(Reader read) => read();", "IOX9003 read()")]
    [InlineData("[ApplicationSide] private Action? _work; internal void Run() => _work!();", "IOX9003 _work!()")]
    [InlineData("[ApplicationSide] public static void Run(Action work) => work();")]
    [InlineData("[System.Diagnostics.CodeAnalysis.Experimental(\"IOX1001\")] public static void Run(Action work) => work();")]
    [InlineData("internal static void Run(Action work) => work();")]
    [InlineData("private static Action? s_own; public static void Run(Action work) => (s_own ?? work)();", "IOX9003 (s_own ?? work)()")]
    [InlineData("public static void Run(Action<int> configure) => configure(1);")]
    public async Task ADelegateOfTheApplicationIsInvokedWhereItIsMarked(string member, params string[] expected)
        => Assert.Equal(expected, await Compiled.BreachesAsync(Package(member)));

    [Theory]
    [InlineData("private Action? _work; public void Set(Action work) => _work = work; internal object? Get() => _work;", "IOX9004 _work = work")]
    [InlineData("public static void Run(Action work) => Keep(work); private static void Keep(Action work) { }", "IOX9004 work")]
    [InlineData("public class Other(Action work) { private readonly Action _work = work; internal object Get() => _work; }", "IOX9004 = work")]
    [InlineData("public class Other(Action work) { internal Action Work { get; } = work; }", "IOX9004 = work")]
    [InlineData("private Action? _work; public void Set(Action work) => _work += work; internal object? Get() => _work;", "IOX9004 _work += work")]
    [InlineData("private Action? _work; public void Set(Action work) => _work = _work + work; internal object? Get() => _work;", "IOX9004 _work = _work + work")]
    [InlineData("private event Action? Work; public void Set(Action work) => Work += work; internal object? Get() => Work;", "IOX9004 Work += work")]
    [InlineData("private Action? _work; public void Set(Action work, bool isOn) => _work = isOn ? work : null; internal object? Get() => _work;", "IOX9004 _work = isOn ? work : null")]
    [InlineData("private Action? _work; public void Set(Action work, bool isOn) => _work = isOn ? null : work; internal object? Get() => _work;", "IOX9004 _work = isOn ? null : work")]
    [InlineData("private Action? _work; public void Set(Action work) => _work = _work ?? work; internal object? Get() => _work;", "IOX9004 _work = _work ?? work")]
    [InlineData("private Action? _work; public void Set(Action work) => _work = work.Invoke; internal object? Get() => _work;", "IOX9004 _work = work.Invoke")]
    [InlineData("private Action? _work; public void Set(Action work, int way) => _work = way switch { 0 => null, _ => work }; internal object? Get() => _work;", "IOX9004 _work = way switch { 0 => null, _ => work }")]
    [InlineData("public class Other([ApplicationSide] Action work) { [ApplicationSide] private readonly Action _work = work; internal object Get() => _work; }")]
    [InlineData("public static void Run(Action work, bool isOn) => Keep(isOn ? work : null); private static void Keep(Action? work) { }", "IOX9004 isOn ? work : null")]
    [InlineData("[ApplicationSide] private Action? _work; public void Set(Action work) => _work = work; internal object? Get() => _work;")]
    [InlineData("public static void Run(Action work) => Keep(work); private static void Keep([ApplicationSide] Action work) { }")]
    public async Task WhatHoldsADelegateOfTheApplicationIsMarked(string member, params string[] expected)
        => Assert.Equal(expected, await Compiled.BreachesAsync(Package(member)));

    private static string Package(string member) => $$"""
        #nullable enable
        Console.WriteLine();

        public delegate int Reader();

        [AttributeUsage(AttributeTargets.All)]
        internal sealed class ApplicationSideAttribute : Attribute;

        public class Sample
        {
            {{member}}

            private static void EnterRuntimeHere() { }
        }
        """;
}
