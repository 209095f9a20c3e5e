namespace Ioxide.Simulation;

/// <summary>Callbacks that reactors and another thread post to reactors: each runs once, in the order of its sender, on the reactor.</summary>
/// <param name="world">The run.</param>
/// <param name="count">Reactors; the other thread is one sender more.</param>
internal sealed class PostLanes(GroupWorld world, int count)
{
    private readonly Lane?[] _lanes = new Lane?[count * (count + 1)];

    /// <summary>Posted and not run.</summary>
    internal int Waiting { get; private set; }

    internal void Post(Reactor target)
    {
        int sender = Reactor.Current?.Id ?? count;
        Lane lane = _lanes[(target.Id * (count + 1)) + sender] ??= new Lane(this, target);
        long number = lane.Posted++;
        Waiting++;
        try
        {
            target.Post(
                static state =>
                {
                    var (lane, number) = ((Lane, long))state!;
                    lane.Owner.Run(lane, number);
                },
                (lane, number));
            world.Mark(Reactor.Current is null ? "post: from another thread" : "post: from a reactor to another");
        }
        catch (ObjectDisposedException)
        {
            lane.Posted--;
            Waiting--;
            world.Mark("post: refused, the reactor has ended");
        }
    }

    private void Run(Lane lane, long number)
    {
        Waiting--;
        Reactor target = lane.Target;
        if (target.HasEnded)
        {
            // What is left goes on on the thread pool, in any order.
            lane.Ran++;
            return;
        }

        if (number != lane.Ran++)
        {
            world.Violated($"callback {number} of one sender ran on reactor {target.Id} as its number {lane.Ran - 1}");
        }

        if (!target.IsCurrent)
        {
            world.Violated($"a callback for reactor {target.Id} runs on {Reactor.Current?.Id}");
        }
    }

    private sealed class Lane(PostLanes owner, Reactor target)
    {
        internal PostLanes Owner => owner;

        internal Reactor Target => target;

        internal long Posted { get; set; }

        internal long Ran { get; set; }
    }
}
