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

    /// <summary>What waits for a slow receiver behind another message reaches it, also where its sender has left since.</summary>
    [Fact]
    public async Task WhatWasSaidIsToldThoughItsSenderHasLeft()
    {
        const int MostMessages = 10_000;
        await using HostProcess server = HostProcess.Start("Chat", ["--port", "0", "--Ioxide:ReactorCount=1"]);
        Uri address = await server.ListeningAsync();
        using HubLink slow = await HubLink.ConnectAsync(address, "/chat");
        using HubLink ada = await HubLink.ConnectAsync(address, "/chat");
        int count = 0;
        while (await IsToldAsync(ada, new string('x', 30_000)))
        {
            Assert.True(++count < MostMessages, "Messages are kept without a limit for a receiver that does not read.");
            await slow.PingAsync();
        }

        using (HubLink bob = await HubLink.ConnectAsync(address, "/chat"))
        {
            await SayAsync(bob, "Bob", "Is anybody here?");
        }

        using HubLink cyd = await HubLink.ConnectAsync(address, "/chat");
        await SayAsync(cyd, "Cyd", "I am.");

        List<string> told = [];
        do
        {
            await slow.PingAsync();
            told.Add(await slow.ReceiveAsync().Within(60.Seconds()));
        }
        while (!told[^1].Contains("I am.", StringComparison.Ordinal));

        Assert.Contains(told, static record => record.Contains("Is anybody here?", StringComparison.Ordinal));
        Assert.Equal(0, await server.StopAsync());
    }

    /// <summary>Says something and hears it.</summary>
    private static async Task SayAsync(HubLink link, string name, string text)
    {
        await link.SendAsync(Call(name, text));
        Assert.Contains(text, await link.ReceiveAsync().Within(60.Seconds()), StringComparison.Ordinal);
    }

    /// <summary>False where a receiver holds the message up. A machine that is slow may give that answer too: then less is tested.</summary>
    private static async Task<bool> IsToldAsync(HubLink sender, string text)
    {
        await sender.SendAsync(Call("Ada", text));
        Task told = CompletionAsync();
        for (int tries = 0; tries < 3; tries++)
        {
            try
            {
                await told.Within(900.Milliseconds());
                return true;
            }
            catch (TimeoutException)
            {
            }
        }

        return false;

        async Task CompletionAsync()
        {
            while (!(await sender.ReceiveAsync()).StartsWith("""{"type":3,""", StringComparison.Ordinal))
            {
            }
        }
    }

    private static string Call(string name, string text) => $$"""{"type":1,"invocationId":"1","target":"Say","arguments":["{{name}}","{{text}}"]}""";

    [GeneratedRegex(@"^\w+ has joined")]
    private static partial Regex Joined();

    [GeneratedRegex(@"^\w+: ")]
    private static partial Regex Said();
}
