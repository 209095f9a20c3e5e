using Grpc.Core;

namespace Greeting;

/// <summary>A unary call, and one that a stream of messages answers.</summary>
internal sealed class GreeterService : Greeter.GreeterBase
{
    private static readonly string[] s_greetings = ["Hello", "Bonjour", "Hej"];

    public override Task<Reply> Greet(Person request, ServerCallContext context)
        => Task.FromResult(new Reply { Text = $"Welcome, {request.Name}" });

    public override async Task GreetInEachLanguage(Person request, IServerStreamWriter<Reply> responseStream, ServerCallContext context)
    {
        foreach (string greeting in s_greetings)
        {
            await responseStream.WriteAsync(new Reply { Text = $"{greeting}, {request.Name}" }, context.CancellationToken);
        }
    }
}
