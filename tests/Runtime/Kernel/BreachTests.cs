namespace Ioxide.Tests;

/// <summary>
/// What could let the kernel write into memory that somebody reads ends the process. Each breach happens in a child process,
/// beside the same thing done right.
/// </summary>
public class BreachTests
{
    [Theory]
    [InlineData("buffer-returned-twice", "buffer 0 of group 0 was returned twice or to another ring")]
    [InlineData("buffer-of-another-ring", "buffer 0 of group 0 was returned twice or to another ring")]
    [InlineData("buffer-taken-twice", "completion names buffer 1 of group 0 with 1 bytes, which is not lent")]
    [InlineData("buffer-too-long", "completion names buffer 0 of group 0 with 257 bytes, which is not lent")]
    [InlineData("slot-in-flight", "slot 0 was given back with 1 operations in flight")]
    [InlineData("slot-twice", "slot 0 was given back with 0 operations in flight")]
    [InlineData("completion-unknown", "a completion names an operation that is not in flight (Receive of slot 3, generation 7)")]
    [InlineData("completion-late", "a completion names an operation that is not in flight (Nop of slot 0, generation 0)")]
    public async Task EndsTheProcessAndSaysWhatHappened(string breach, string expected)
    {
        (int status, string output) = await ChildProcess.RunAsync(breach);

        Assert.Contains($"Ioxide: {expected}. Going on could corrupt memory", output, StringComparison.Ordinal);
        Assert.Matches("the process ends here\\. State: (group 0.*: [0-9]+ buffers|slot [0-9]+: )", output);
        Assert.DoesNotContain("done", output, StringComparison.Ordinal);
        Assert.Equal(ChildProcess.Aborted, status);
    }

    [Theory, Each("buffer-returned-once", "slot-at-rest", "completion-known", "completion-in-time")]
    public async Task WhatIsDoneRightGoesOn(string name)
    {
        (int status, string output) = await ChildProcess.RunAsync(name);

        Assert.Equal((0, "done\n"), (status, output));
    }
}
