namespace Ioxide.Pg.Tests;

/// <summary>What a <see cref="FakeServer"/> waits for and sends, step by step.</summary>
/// <remarks>After the last step it reads on until the client ends the connection.</remarks>
internal sealed class Script
{
    private readonly List<Func<FakeSession, Task>> _steps = [];

    internal IReadOnlyList<Func<FakeSession, Task>> Steps => _steps;

    /// <summary>Waits for StartupMessage and lets the client in, whoever it is.</summary>
    internal static Script Welcome() => new Script().ExpectStartup().Send(BackendMessages.Welcome());

    /// <summary>Any step.</summary>
    internal Script Then(Func<FakeSession, Task> step)
    {
        _steps.Add(step);
        return this;
    }

    internal Script ExpectStartup() => Then(session => session.ReadUntypedAsync());

    /// <summary>Waits for messages of exactly these types, one a character: <c>Expect("PBDES")</c>.</summary>
    internal Script Expect(string types)
        => Then(async session =>
        {
            foreach (char type in types)
            {
                WireMessage message = await session.ReadAsync().ConfigureAwait(false);
                Assert.True(message.Type == type, $"The script expects {type} of {types}; the client sent {message}.");
            }
        });

    /// <summary>Reads whatever comes, up to a message of that type: <c>ExpectUntil('S')</c>.</summary>
    internal Script ExpectUntil(char type)
        => Then(async session =>
        {
            while ((await session.ReadAsync().ConfigureAwait(false)).Type != type)
            {
            }
        });

    internal Script Send(params byte[][] messages) => Then(session => session.SendAsync(messages.SelectMany(message => message).ToArray()));

    /// <summary>Waits for the test.</summary>
    internal Script WaitFor(Task task) => Then(_ => task.Within(30.Seconds(), "the test lets the script go on"));

    /// <summary>Ends the stream; the client's end is awaited.</summary>
    internal Script End() => Then(session =>
    {
        session.End();
        return Task.CompletedTask;
    });

    /// <summary>Another script's steps so many times.</summary>
    internal Script Repeat(int count, Script other)
    {
        for (int i = 0; i < count; i++)
        {
            _steps.AddRange(other._steps);
        }

        return this;
    }
}
