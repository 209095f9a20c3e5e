using System.Reflection;
using Ioxide.TestKit;

namespace Ioxide.Weak;

/// <summary>The closed token of a connection: asked for on one thread while the connection ends on another.</summary>
public sealed class ClosedTokenTests
{
    private const int Races = 20;
    private const int Tokens = 500;

    [Fact]
    public async Task ATokenThatIsAskedForAtTheEndIsCancelled()
    {
        Assert.SkipUnless(RingProbe.Check() == RingSupport.Supported, "no io_uring");
        await using ReactorGroup group = ReactorGroup.Start(new ReactorOptions { ReactorCount = 1 });
        RingConnection connection = EndedConnection(group.Reactors[0]);
        for (int race = 0; race < Scale.Of(Races); race++)
        {
            Holder[] holders = [.. Enumerable.Range(0, Tokens).Select(static _ => new Holder())];
            var meeting = new Meeting(threads: 2);
            Race.Run(
                race,
                _ =>
                {
                    foreach (Holder holder in holders)
                    {
                        meeting.Wait();
                        holder.Given = holder.Closed.Of(connection);
                    }
                },
                _ =>
                {
                    foreach (Holder holder in holders)
                    {
                        meeting.Wait();
                        holder.Closed.Raise();
                    }
                });
            Race.Until(() => Array.TrueForAll(holders, static holder => holder.Given.IsCancellationRequested), $"a token of race {race}");
        }
    }

    /// <summary>A connection that was aborted, as far as its token asks.</summary>
    private static RingConnection EndedConnection(Reactor reactor)
    {
        var connection = (RingConnection)RuntimeHelpers.GetUninitializedObject(typeof(RingConnection));
        Set("_ending", 2);
        Set("<Reactor>k__BackingField", reactor);
        Set("<Options>k__BackingField", RingConnectionOptions.Default);
        Assert.False(connection.IsOpen);
        return connection;

        void Set(string name, object value)
        {
            FieldInfo field = typeof(RingConnection).GetField(name, BindingFlags.Instance | BindingFlags.NonPublic)!;
            field.SetValue(connection, field.FieldType.IsEnum ? Enum.ToObject(field.FieldType, value) : value);
        }
    }

    private sealed class Holder
    {
        internal ClosedToken Closed;

        internal CancellationToken Given { get; set; }
    }
}
