using Grpc.Core;

namespace Ioxide.Arena;

/// <summary>The board's four kinds of calls.</summary>
internal sealed class SumService : BenchmarkService.BenchmarkServiceBase
{
    public override Task<SumReply> GetSum(SumRequest request, ServerCallContext context)
        => Task.FromResult(new SumReply { Result = request.A + request.B });

    public override async Task StreamSum(StreamRequest request, IServerStreamWriter<SumReply> responseStream, ServerCallContext context)
    {
        for (int index = 0; index < request.Count; index++)
        {
            await responseStream.WriteAsync(new SumReply { Result = request.A + request.B + index });
        }
    }

    public override async Task<SumReply> CollectSum(IAsyncStreamReader<SumRequest> requestStream, ServerCallContext context)
    {
        int sum = 0;
        await foreach (SumRequest request in requestStream.ReadAllAsync())
        {
            sum += request.A + request.B;
        }

        return new SumReply { Result = sum };
    }

    public override async Task EchoSum(IAsyncStreamReader<SumRequest> requestStream, IServerStreamWriter<SumReply> responseStream, ServerCallContext context)
    {
        await foreach (SumRequest request in requestStream.ReadAllAsync())
        {
            await responseStream.WriteAsync(new SumReply { Result = request.A + request.B });
        }
    }
}
