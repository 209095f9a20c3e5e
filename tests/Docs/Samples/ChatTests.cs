using System.Text.RegularExpressions;

namespace Ioxide.Docs.Tests;

/// <summary>What one client of <c>samples/Chat</c> says, every client is told, on whichever reactor its connection is.</summary>
public partial class ChatTests
{
    [Fact]
    public async Task WhatOneSaysAllAreTold()
    {
        await using HostProcess server = HostProcess.Start("Chat", ["--port", "0", "--Ioxide:ReactorCount=2"]);
        string port = $"{(await server.ListeningAsync()).Port}";
        await using HostProcess ada = HostProcess.Start("Chat", ["--port", port, "--join", "Ada"], endsWithInput: true);
        await using HostProcess bob = HostProcess.Start("Chat", ["--port", port, "--join", "Bob"], endsWithInput: true);
        await Task.WhenAll(ada.MatchesAsync(Joined()), bob.MatchesAsync(Joined()));

        ada.WriteLine("Is anybody here?");
        await bob.MatchesAsync(Said());
        bob.WriteLine("I am.");
        await Task.WhenAll(ada.MatchesAsync(Said(), 2), bob.MatchesAsync(Said(), 2));

        string[] expected = ["Ada: Is anybody here?", "Bob: I am."];
        Assert.Equal(expected, ada.Lines.Skip(1));
        Assert.Equal(expected, bob.Lines.Skip(1));
        Assert.Equal((0, 0), (await ada.StopAsync(), await bob.StopAsync()));
        Assert.Equal(0, await server.StopAsync());
    }

    [GeneratedRegex(@"^\w+ has joined")]
    private static partial Regex Joined();

    [GeneratedRegex(@"^\w+: ")]
    private static partial Regex Said();
}
