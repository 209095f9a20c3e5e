using System.Net.Sockets;
using System.Net.WebSockets;

namespace Ioxide.Soak;

/// <summary>One worker: sessions with the server, one after the other, while the gate is open.</summary>
internal abstract class Load
{
    private static readonly TimeSpan s_pauseAfterRefusal = TimeSpan.FromMilliseconds(20);

    protected Load(LoadSurroundings surroundings, string name, int number, int seed)
    {
        Surroundings = surroundings;
        Name = name;
        Random = new Random(seed);
        Lane = new Lane($"{name} {number}");
    }

    internal Lane Lane { get; }

    protected string Name { get; }

    protected LoadSurroundings Surroundings { get; }

    protected Random Random { get; }

    protected Counters Counters => Surroundings.Counters;

    protected Target Target => Surroundings.Target;

    protected Gate Gate => Surroundings.Gate;

    /// <summary>Runs until the gate ends.</summary>
    internal async Task RunAsync()
    {
        while (await Gate.EnterAsync())
        {
            try
            {
                await RunSessionAsync();
            }
            catch (Exception exception) when (exception is SocketException or IOException or WebSocketException
                or OperationCanceledException or ObjectDisposedException or InvalidDataException)
            {
                await NoteAsync(exception);
            }
            finally
            {
                Lane.Rest();
                Gate.Leave();
            }
        }
    }

    /// <summary>Connects, asks, checks and leaves; ends soon after the gate closed.</summary>
    protected abstract Task RunSessionAsync();

    /// <summary>Whether a restart of what it talks to may have ended the session at this point.</summary>
    protected virtual bool MayBeTurnedAway => false;

    private async Task NoteAsync(Exception exception)
    {
        if (Lane.WasCut)
        {
            return;
        }

        if (MayBeTurnedAway)
        {
            Counters.AddTurnedAway();
            Lane.Rest();
            await Task.Delay(s_pauseAfterRefusal);
        }
        else
        {
            Counters.AddError(Lane.Name, exception);
        }
    }
}
